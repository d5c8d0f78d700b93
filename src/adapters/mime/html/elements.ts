/** What kinds of elements there are, as far as reading and showing them differs. */

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Elements without content. */
const VOID = names(
  'area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr',
)

/** Whose end tag closes whatever is open inside, and which ordinary end tags do not reach across. */
const SPECIAL = names(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details ' +
    'dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ' +
    'iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext ' +
    'pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul ' +
    'wbr xmp',
)

/** Tags that browsers open again after a block in which they were left open has ended. */
const FORMATTING = names('a b big code em font i nobr s small strike strong tt u')

/** Opening one of these ends an open paragraph. */
const ENDS_PARAGRAPH = names(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp dd dt',
)

export const HEADING = names('h1 h2 h3 h4 h5 h6')

/** Laid out on lines of their own. */
export const BLOCK = new Set([
  ...ENDS_PARAGRAPH,
  ...names('body html caption thead tbody tfoot tr legend optgroup option marquee frameset'),
])

/** What would run, submit or bring in something. */
export const ACTIVE = names('script form iframe object embed applet frame frameset base portal')

/** All that HTML and its drawings usually consist of: any other name is a text of its own. */
export const ELEMENTS = new Set([
  ...VOID,
  ...SPECIAL,
  ...FORMATTING,
  ...BLOCK,
  ...names(
    'abbr acronym audio bdi bdo canvas cite data datalist del dfn ins kbd label map mark math meter output picture progress q ' +
      'rb rp rt rtc ruby samp slot span sub sup svg time var video font g path rect circle ellipse line polygon polyline text ' +
      'tspan defs use image symbol lineargradient radialgradient stop clippath mask desc',
  ),
])
