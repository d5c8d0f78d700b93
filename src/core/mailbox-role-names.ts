/**
 * As mail programs and providers name folders, in the languages of their users: where a server says nothing of what they
 * are for, as older Exchange does, a draft or the copy of a sent letter is looked for, and put, by this name.
 *
 * INVARIANT: lower case, composed (NFC), each in one list only; the usual one first, and English before all others.
 */
export const ROLE_NAMES: Readonly<Record<string, readonly string[]>> = {
  sent: listed(
    'sent|sent items|sent mail|sent messages',
    'gesendete elemente|gesendet|gesendete objekte|gesendete nachrichten',
    'éléments envoyés|envoyés|messages envoyés|elementos enviados|enviados|mensajes enviados',
    'posta inviata|inviata|inviati|itens enviados|enviadas|mensagens enviadas',
    'verzonden items|verzonden|verzonden berichten|elementy wysłane|wysłane|odeslaná pošta|odeslané|odoslaná pošta|odoslané',
    'skickat|skickade objekt|skickade|sendt post|sendt|sendte elementer|lähetetyt|lähetetyt kohteet',
    'elküldött elemek|elküldött|elküldöttek|elemente trimise|trimise|gönderilmiş öğeler|gönderilmiş|gönderilenler',
    'απεσταλμένα|απεσταλμένα στοιχεία|отправленные|надіслані|надіслані елементи|відправлені|изпратени',
    'العناصر المرسلة|البريد المرسل|المرسلة|פריטים שנשלחו|נשלחו',
    '送信済みアイテム|送信済み|送信済みメール|送信済みメッセージ|已发送|已发送邮件|已发送消息|寄件備份|已傳送|已傳送的郵件',
    '보낸 편지함|보낸편지함|보낸 메일함|보낸메일함|thư đã gửi|đã gửi|รายการที่ถูกส่ง|ส่งแล้ว',
  ),
  drafts: listed(
    'drafts|draft',
    'entwürfe|brouillons|borradores|bozze|rascunhos|concepten|wersje robocze|kopie robocze|szkice',
    'koncepty|rozepsané|utkast|kladder|kladd|luonnokset|piszkozatok|schițe|ciorne|taslaklar',
    'πρόχειρα|черновики|чернетки|чернови|المسودات|مسودات|טיוטות',
    '下書き|草稿|草稿箱|草稿匣|임시 보관함|임시보관함|thư nháp|bản nháp|แบบร่าง',
  ),
  trash: listed(
    'trash|deleted items|deleted messages|bin',
    'gelöschte elemente|papierkorb|gelöscht|gelöschte objekte|éléments supprimés|corbeille',
    'elementos eliminados|papelera|posta eliminata|cestino|itens excluídos|itens eliminados|lixeira',
    'verwijderde items|prullenbak|prullenmand|elementy usunięte|kosz|odstraněná pošta|koš|odstránená pošta|kôš',
    'borttaget|papperskorgen|papperskorg|slettet post|papirkurv|slettede elementer|poistetut|roskakori',
    'törölt elemek|kuka|elemente șterse|coș de gunoi|silinmiş öğeler|çöp kutusu|çöp',
    'διαγραμμένα|διαγραμμένα στοιχεία|κάδος απορριμμάτων|удаленные|удалённые|корзина|видалені|кошик|изтрити|кошче',
    'العناصر المحذوفة|سلة المهملات|المهملات|פריטים שנמחקו|אשפה',
    '削除済みアイテム|ゴミ箱|ごみ箱|已删除|已删除邮件|回收站|垃圾桶|刪除的郵件|已刪除的郵件',
    '지운 편지함|지운편지함|휴지통|thư đã xóa|thùng rác|รายการที่ถูกลบ|ถังขยะ',
  ),
  junk: listed(
    'junk|spam|junk e-mail|junk email|bulk mail',
    'junk-e-mail|spamverdacht|courrier indésirable|indésirables|correo no deseado|posta indesiderata',
    'lixo eletrônico|lixo eletrónico|ongewenste e-mail|wiadomości-śmieci|niechciana poczta',
    'nevyžádaná pošta|nevyžiadaná pošta|skräppost|uønsket mail|uønsket post|uønsket e-post|søppelpost',
    'roskaposti|levélszemét|gereksiz e-posta|önemsiz e-posta|ανεπιθύμητη αλληλογραφία|ανεπιθύμητα',
    'спам|нежелательная почта|небажана пошта|البريد العشوائي|البريد غير الهام|דואר זבל',
    '迷惑メール|垃圾邮件|垃圾郵件|스팸 메일함|스팸메일함|정크 메일|thư rác|อีเมลขยะ',
  ),
  archive: listed(
    'archive|archives',
    'archiv|archivo|archivio|arquivo|archief|archiwum|archív|arkiv|arkisto|archívum|arhivă|arşiv',
    'αρχειοθήκη|архив|архів|الأرشيف|ארכיון|アーカイブ|存档|归档|封存|보관함|lưu trữ',
  ),
}

function listed(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split('|'))
}
