import { signal } from '@preact/signals';
import { keepChoice, keptChoice } from './kept-choice.js';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const SIGNS: Readonly<Record<Theme, string>> = { auto: '◐', light: '☀', dark: '☾' };
const KEY = 'theme';

/** The colours of the page: those of the system, unless somebody has chosen others in this browser. */
const theme = signal<Theme>(THEMES.find((each) => each === keptChoice(KEY)) ?? 'auto');

/** Shows the colours that were chosen. */
export function showTheme(chosen: Theme = theme.value): void {
  theme.value = chosen;
  document.documentElement.dataset['theme'] = chosen;
  keepChoice(KEY, chosen === 'auto' ? undefined : chosen);
}

/** Chooses the colours: those of the system, light, dark. */
export function ThemeButton() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  const words = `Colours: ${theme.value === 'auto' ? 'those of the system' : theme.value}`;
  return (
    <button type="button" onClick={() => showTheme(next)} aria-label={words} title={words}>
      {SIGNS[theme.value]}
    </button>
  );
}
