import { render } from 'preact';
import { App } from './app.js';
import { signInByAddress } from './state.js';

const place = document.getElementById('page');
if (place !== null) render(<App />, place);
signInByAddress();
