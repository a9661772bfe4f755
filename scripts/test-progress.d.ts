import type { Reporter } from 'vitest/reporters';

/** Says how far the tests are, where the terminal does not show it. */
export default class TestProgress implements Reporter {}
