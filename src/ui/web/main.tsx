import { render } from 'preact';
import { App } from './app.js';
import { showTheme } from './parts/theme.js';
import { signInByAddress } from './state.js';

showTheme();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
signInByAddress();
