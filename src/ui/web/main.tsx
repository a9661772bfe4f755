import { options, render } from 'preact';
import { App } from './app.js';
import { showTheme } from './parts/theme.js';
import { sight, signInByAddress } from './state.js';

// Nothing is drawn while nobody sees the page: what changes meanwhile is drawn once, when somebody turns to it.
options.debounceRendering = (draw) => void (sight.isSeen ? queueMicrotask(draw) : sight.whenSeen(draw));
showTheme();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
signInByAddress();
