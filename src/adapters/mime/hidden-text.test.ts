import { describe, expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

describe('what cannot be seen', () => {
  const hidden = (style: string) => `<p>shown</p><div style="${style}">SECRET words</div>`
  test.each([
    ...['font:0/0 a', 'font-size:calc(1px - 1px)', 'font-size:min(0px,9px)', 'font-size:0.1em', 'font-size:1'],
    ...[
      'color:#fff8',
      'color:rgb(255 255 255 / 90%)',
      'color:hwb(0 100% 0%)',
      'color:oklch(1 0 0)',
      'color:canvas',
      'color:color-mix(in srgb, red, blue)',
    ],
    ...[
      'opacity:0%',
      'opacity:.3;filter:opacity(10%)',
      'filter:blur(9px)',
      'filter:invert(1)',
      'mix-blend-mode:screen',
    ],
    ...[
      'margin-left:-9999px',
      'margin:-9999px 0 0',
      'position:absolute;inset:-999em auto auto -999em',
      'position:relative;right:150vw',
    ],
    ...[
      'transform:matrix(0,0,0,0,0,0)',
      'transform:rotateX(90deg)',
      'scale:0',
      'translate:-200vw',
      'zoom:0.01',
      '-webkit-transform:scale(0)',
    ],
    ...[
      'clip-path:circle(0)',
      'clip:rect(1px 1px 1px 1px)',
      'height:0;overflow-y:hidden',
      'max-width:1px;overflow:clip',
      'mask:linear-gradient(#0000,#0000)',
    ],
    ...[
      'letter-spacing:-1em',
      'text-indent:-100vw',
      '-webkit-text-security:disc',
      'display:none;display:nonsense',
      'display:block;display:none!important;display:block',
    ],
    ...[
      'color:white;color:nonsense',
      'background:black;color:#000;background:junk',
      '/**/display/**/:/**/none',
      'DISPLAY:NONE',
      'd\\69 splay:none',
      'all:unset;opacity:0',
    ],
    ...[
      'position:fixed;top:200%',
      'position:absolute;left:100%',
      'contain:strict',
      'contain:size paint',
      'display:table-column',
      'display:table-column-group',
      'opacity:calc(0)',
      'opacity:calc(1 - 1)',
      'opacity:0;opacity:calc(1px)',
      'filter:opacity(calc(0))',
      'font-size-adjust:0',
      'content:url(data:image/gif;base64,R0)',
      'text-indent:200%;overflow:hidden',
      'padding-left:9999px;width:100px;overflow:hidden',
      'padding:0 0 0 9999px;width:100px;overflow:hidden',
      'display:grid;grid-template-rows:0fr',
      'word-spacing:-9999px',
    ],
    ...[
      'transform:rotate3d(0,1,0,90deg)',
      'transform:rotateY(90deg)',
      'transform:skew(90deg)',
      'transform:scale(calc(0))',
      'rotate:y 90deg',
      'rotate:1 0 0 90deg',
      'offset-path:path(&quot;M-9999 0&quot;)',
    ],
    ...[
      'color:rgb(from #000 255 255 255)',
      'background:linear-gradient(#000,#000);color:#000',
      'background-image:linear-gradient(to right,#fff 0%,#fefefe 100%);color:#fff',
      'background:linear-gradient(#000,#000);background-size:0 0;color:#fff',
      'box-shadow:inset 0 0 0 1000px #000;color:#000',
      'box-shadow:inset 0 0 0 1000px',
    ],
  ])('%s', (style) => {
    const { text, uncertain, warnings } = visibleText(hidden(style), 1000)
    expect(text).not.toContain('SECRET')
    expect(`${text} ${uncertain}`).toContain('shown')
    expect(warnings.map(({ kind }) => kind)).toContain(uncertain === '' ? 'hidden_text_removed' : 'uncertain_text')
  })

  test.each([
    ['a table that inherits', '<font color=white><table><tr><td>SECRET</td></tr></table></font>'],
    ['a paragraph that leaves its formatting open', '<p><b style="display:none">SECRET</p>SECRET'],
    ['a block that its end tag does not reach', '<span style="display:none"><div></span>SECRET'],
    ['a cell that an end tag does not leave', '<div style="display:none"><table><tr><td></div>SECRET'],
    ['formatting that crosses a block', '<div style="color:white"><b style="color:black"><div></b>SECRET'],
    [
      'a row whose text is moved out of it',
      '<div style="color:white"><table><tr style="color:black">SECRET</table></div>',
    ],
    ['a cell without a table', '<div style="color:white"><td style="color:black">SECRET</td></div>'],
    ['a rule further down', '<p class=x>SECRET</p><style>.x{display:none}</style>'],
    [
      'a rule that overrides the element',
      '<style>.x{display:none!important}</style><p class=x style="display:block">SECRET',
    ],
    [
      'a sheet that does not apply',
      '<style>.x{display:none}</style><template><style>.x{display:block!important}</style></template><p class=x>SECRET',
    ],
    [
      'a sheet of another type',
      '<style>.x{display:none}</style><style type="text/x">.x{display:block!important}</style><p class=x>SECRET',
    ],
    ['a rule that browsers drop', '<style>.x{display:none} junk; .x{display:block}</style><p class=x>SECRET'],
    ['a rule in an open bracket', '<style>.x{display:none} .y{color:(} .x{display:block}</style><p class=x>SECRET'],
    ['nested rules', '<style>.x{display:block; &{display:none}}</style><p class=x>SECRET'],
    ['a rule that may apply', '<style>p:last-child{display:none}</style><p>SECRET'],
    ['a variable of a parent', '<div style="--c:#ffffff"><p style="color:var(--none, var(--c))">SECRET</p></div>'],
    ['text in closed details', '<details>SECRET<p style="display:block">SECRET</p></details>'],
    ['a frame', '<iframe><p>SECRET</p></iframe>'],
    ['a rule that counts its children', '<style>body > :nth-child(2){opacity:0}</style><p>a</p><p>SECRET</p>'],
    ['a marquee without room', '<marquee width=0 height=0>SECRET</marquee>'],
    ['a popover', '<div popover>SECRET</div>'],
    ['a meter', '<meter value=1>SECRET</meter>'],
    ['a progress bar', '<progress>SECRET</progress>'],
    ['an option that is not the first', '<select><option>a<option>SECRET</select>'],
    ['an option before the selected one', '<select><option>SECRET<option selected>shown</select>'],
    ['an option before the last selected one', '<select><option selected>SECRET<option selected>shown</select>'],
    ['an option of the second select', '<select><option>a</select><select><option>b<option>SECRET</select>'],
    ['a button without colour', '<input type=button style="color:transparent" value="SECRET">'],
    ['an input without room', '<input style="width:0;border:0" value="SECRET">'],
    ['an input with more than it shows', `<input value="name ${'x '.repeat(60)} SECRET">`],
    ['an annotation of a formula', '<math><semantics><mi>x</mi><annotation>SECRET</annotation></semantics></math>'],
    ['HTML in an annotation', '<math><annotation-xml encoding="text/html"><p>SECRET</p></annotation-xml></math>'],
    ['a phantom', '<math><mphantom><mtext>SECRET</mtext></mphantom></math>'],
    ['an action', '<math><maction actiontype=toggle><mi>x</mi><mtext>SECRET</mtext></maction></math>'],
    ['a formula of no size', '<math><mstyle mathsize=0><mtext>SECRET</mtext></mstyle></math>'],
    ['a white formula', '<math><mstyle mathcolor=white><mtext>SECRET</mtext></mstyle></math>'],
    ['a formula far down', '<math scriptlevel=50><mtext>SECRET</mtext></math>'],
    ['what counts only in formulas', '<div style="color:white"><mtext mathcolor=black>SECRET</mtext></div>'],
    ['an animation', '<style>.x{animation:h 0s forwards}@keyframes h{to{opacity:0}}</style><p class=x>SECRET'],
    [
      'an animation behind a variable',
      '<style>@keyframes h{to{opacity:0}}</style><p style="--a:h;animation:var(--a) 0s forwards">SECRET',
    ],
    [
      'an animation that goes back',
      '<style>.x{animation:h 9s reverse forwards}@keyframes h{from{opacity:0}}</style><p class=x>SECRET',
    ],
    ['a linked sheet in its address', '<link rel=stylesheet href="data:text/css,.x{display:none}"><p class=x>SECRET'],
    [
      'an imported sheet in its address',
      '<style>@import url("data:text/css;base64,Lnh7ZGlzcGxheTpub25lfQ==");</style><p class=x>SECRET',
    ],
    [
      'a condition that may not hold',
      '<style>.x{display:none}@supports (foo:bar){.x{display:block}}</style><p class=x>SECRET',
    ],
    ['a forgiving list', '<style>:is(.x,:bogus){display:none}</style><p class=x>SECRET'],
    ['text of a style sheet', '<style>.x::before{content:"SECRET"}</style><p class=x>shown'],
    [
      'text that a style sheet takes from elsewhere',
      '<style>.x:after{content:attr(y)}</style><p class=x y=SECRET>shown',
    ],
    ['what hides on phones', '<style>@media (max-width:600px){.d{display:none!important}}</style><p class=d>SECRET'],
    ['a moved box', '<div style="position:relative;left:50%;transform:translate(-50%,-50%)">SECRET'],
    ['white on black behind a picture', '<p style="color:white;background:#000 url(data:image/gif;base64,R0)">SECRET'],
    ['black on a black line', '<p style="background:linear-gradient(#000,#000) 0 100% / 100% 2px no-repeat">SECRET'],
    ['a selector that browsers may not know', '<style>p,:bogus{display:none}</style><p>SECRET'],
    ['what fades in', '<style>p{animation:i 1s}@keyframes i{from{opacity:0}to{opacity:1}}</style><p>SECRET'],
    ['a turned box', '<p style="transform:rotate(90deg);rotate:90deg">SECRET'],
    ['a contained box', '<p style="contain:content;opacity:calc(1 / 2)">SECRET'],
    ['text that runs backwards', '<bdo dir=rtl>SECRET</bdo>'],
    ['text that a style makes run backwards', '<span style="unicode-bidi:bidi-override;direction:rtl">SECRET</span>'],
    ['a title that is brought to light', '<style>head,title{display:block}</style><title>SECRET</title>'],
    [
      'a box that may shrink',
      '<div style="display:flex"><p style="flex:0 0 0px;min-width:0;overflow:hidden">SECRET</p></div>',
    ],
    ['a body that hides', '<p>SECRET</p><body style="visibility:hidden">'],
  ])('%s', (_, html) => {
    const { text, warnings } = visibleText(html, 1000)
    expect(text).not.toContain('SECRET')
    expect(warnings.some(({ kind }) => kind === 'hidden_text_removed' || kind === 'uncertain_text')).toBe(true)
  })
})
