/** Where the page begins. */
import { render } from 'preact'
import { App } from './shell/app.tsx'

const place = document.getElementById('app')
if (place === null) throw new Error('index.html has no place for the page')
render(<App />, place)
