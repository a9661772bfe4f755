import { render } from 'preact';
import { App } from './app.js';
import { signIn } from './state.js';

const place = document.getElementById('page');
if (place !== null) render(<App />, place);
void signIn();
