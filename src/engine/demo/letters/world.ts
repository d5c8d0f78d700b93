/** Letters from colleagues and friends abroad, in their languages and in the character sets of their programs. */
import type { Letter } from '../letter.ts'
import { readLetters } from '../read-letters.ts'

const TEXT = `
--- marchetti-papier | 44.2 | INBOX | helene > maya | charset:iso-8859-1
Échantillons de papier pour les tiroirs

Chère Maya,

les échantillons sont partis ce matin : trois papiers sans acide, un coton très épais et un japonais si mince qu'on lit la carte à travers. À votre place je prendrais le coton pour les tiroirs et le japonais pour l'exposition.

Dites-moi quand vous serez à Lyon, je vous montrerai la presse de mon grand-père. Elle fait un bruit de train.

Bien à vous,
Hélène Marchetti
--- marchetti-papier-2 | 43.5 | Sent | maya > helene | re:marchetti-papier

Chère Hélène,

le coton pour les tiroirs, alors. Et pour le train, je viendrai, promis, au printemps.

Amitiés,
Maya
--- marchetti-devis | 36.9 | INBOX | helene > maya | re:marchetti-papier-2 flagged

Chère Maya,

voici le devis : 118 chemises à 24 €, soit 2 832 € hors taxes, livraison comprise. Délai : cinq semaines, sauf en août, où la France n'existe pas.

Hélène
--- arrieta-faro | 28.4 | INBOX | tomas > maya |
El faro del mapa de 1788

Hola Maya:

¿Te acuerdas del faro que no encontrábamos? Apareció. No está en la costa sino en el margen: el grabador lo dibujó dos veces y tachó uno con una ballena. Te mando la foto la semana que viene, cuando me dejen sacar la carta del cajón.

Aquí ya es verano y nadie contesta el teléfono.

Un abrazo,
Tomás
--- arrieta-faro-2 | 28.0 | Sent | maya > tomas | re:arrieta-faro

¡Una ballena! Tomás, eso va en la pared de la entrada. Gracias, de verdad.

Maya
--- minase-drawer | 38.7 | INBOX | haruka > maya | charset:iso-2022-jp
地図引き出しの試作について

マヤ様

お世話になっております。水瀬です。

引き出しの試作品が完成しました。桐材を使いましたので、湿度の高い日でも滑らかに開きます。写真は来週お送りします。

一つお願いがあります。取っ手の高さを三ミリ下げてもよろしいでしょうか。小さいお子さんの手にも届くようになります。

どうぞよろしくお願いいたします。

水瀬 遥
--- minase-drawer-2 | 38.1 | Sent | maya > haruka | re:minase-drawer

水瀬様

ありがとうございます。三ミリ、ぜひお願いします。

Maya
--- minase-ship | 11.8 | INBOX | haruka > maya | unread
発送のご連絡

マヤ様

引き出し五十九台を本日発送いたしました。到着は来月十日頃の予定です。残りの五十九台は月末に発送いたします。

梱包の中に、娘が描いた船の絵を一枚入れました。

水瀬 遥
--- lin-paper | 31.6 | INBOX | yuzhen > maya | charset:gb18030
宣纸样品已寄出

玛雅您好：

您要的宣纸样品昨天已经寄出，一共六种，每种三张。第四种是用青檀皮做的，适合修补旧地图，遇水不皱。

如果需要更大的尺寸，请提前两个月告诉我们，因为要等天气好的时候晒纸。

祝好
林玉珍
--- lin-invoice | 16.9 | INBOX | yuzhen > maya | unread
宣纸发票（第四种，二十张）

玛雅您好：

第四种宣纸二十张，共计人民币一千六百元，运费已含。发票随货寄出。

收到后请告诉我一声，我好放心。

林玉珍
--- haddad-atlas | 29.7 | INBOX | layla > maya | charset:windows-1256
خريطة الإدريسي

عزيزتي مايا،

وصلتني رسالتك عن المعرض. لدينا نسخة مطبوعة من خريطة الإدريسي، والجنوب فيها إلى أعلى كما رسمها صاحبها. يسعدنا أن نعيرها لكم ثلاثة أشهر.

الشرط الوحيد أن تُعلَّق بعيدا عن ضوء الشمس، وألا يقلبها أحد.

مع أطيب التحيات
ليلى حداد
--- haddad-atlas-2 | 29.2 | Sent | maya > layla | re:haddad-atlas

Dear Layla,

thank you, with all my heart. South stays up, I give you my word.

Maya
--- haddad-loan | 8.1 | INBOX | layla > maya | re:haddad-atlas-2 unread

عزيزتي مايا، عقد الإعارة جاهز. أرسله إليك يوم الأحد بعد أن يوقّعه المدير. هل يصلح العنوان القديم في غوتنبرغ؟

ليلى
--- beller-harbour | 47.8 | INBOX | noam > maya | charset:iso-8859-8
מפת הנמל הישן

מאיה שלום,

סרקתי את מפת הנמל ברזולוציה הגבוהה ביותר שיש לי. הקובץ גדול מדי לדואר, אז אשלח אותו על דיסק עם חבר שנוסע אליכם בחודש הבא.

שימי לב לפינה השמאלית: מישהו כתב שם רשימת קניות בעיפרון, בערך בשנת 1910. ביצים, נר, חוט.

בברכה,
נועם
--- beller-harbour-2 | 47.3 | Sent | maya > noam | re:beller-harbour

Noam, the shopping list goes into the catalogue with its own number. Eggs, candle, thread. Thank you!

Maya
--- deshmukh-workshop | 21.9 | INBOX | anjali > maya |
बच्चों की कार्यशाला

प्रिय माया,

बच्चों की कार्यशाला के लिए मेरे पास एक विचार है: हर बच्चा अपने घर से स्कूल तक का नक्शा बनाए, लेकिन सड़कों के नाम की जगह वह लिखे जो उसे वहाँ सुनाई देता है। कुत्ता, घंटी, चाय की केतली।

बीस बच्चों के लिए दो घंटे काफ़ी होंगे। काग़ज़ बड़ा होना चाहिए।

सप्रेम,
अंजलि
--- deshmukh-workshop-2 | 21.4 | Sent | maya > anjali | re:deshmukh-workshop

Anjali, I want to be one of the twenty children. Yes. Large paper is on its way from two continents.

Maya
--- orlova-archive | 52.6 | INBOX | dina > maya | charset:koi8-r
Лоция 1849 года

Здравствуйте, Майя!

Нашла в нашем архиве лоцию 1849 года с пометками капитана. Он ругает маяк, погоду и повара, именно в таком порядке. Для выставки подойдёт разворот на странице 112: там он зачеркнул целый остров и написал "нет его".

Копию могу сделать к концу месяца.

С уважением,
Дина Орлова
--- orlova-archive-2 | 51.9 | Sent | maya > dina | re:orlova-archive

Dear Dina, page 112, please, and whatever he says about the cook. Thank you!

Maya
--- navabi-poem | 17.5 | INBOX | shirin > maya |
یک بیت برای ورودی

مایای عزیز،

پرسیده بودی برای دیوار ورودی چه بنویسیم. این را خودم نوشته‌ام: «نقشه راه را نشان می‌دهد، اما راه رفتن با توست.» اگر خواستی با خط نستعلیق برایت می‌نویسم و اسکن می‌کنم.

هوای گوتنبرگ چطور است؟ اینجا درخت‌های انار گل کرده‌اند.

با مهر،
شیرین
--- navabi-poem-2 | 17.1 | Sent | maya > shirin | re:navabi-poem

Shirin, it is exactly right. Please write it by hand. It rains, what else.

Maya
--- wiedemann-rechnung | 20.6 | Receipts | jochen > maya | charset:iso-8859-1
Rechnung 117: Tragwerksplanung

Sehr geehrte Frau Lindqvist,

für die Prüfung der Dachöffnungen erlaube ich mir zu berechnen:

18 Stunden zu 95,00 EUR: 1.710,00 EUR
Fahrtkosten Hamburg–Göteborg: 212,40 EUR
Summe: 1.922,40 EUR

Zahlbar innerhalb von 30 Tagen. Vielen Dank für die schöne Aufgabe.

Jochen Wiedemann
`

export const WORLD: readonly Letter[] = readLetters(TEXT)
