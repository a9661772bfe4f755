import { goQuote, verbatim, type VerbatimValue } from '../../../../foundation/index.js';

/** Returns texts of a named Go type as the value of an error: `[]flowcontrol.Verb{"get", "list"}`. */
export const goSlice = (type: string, texts: readonly string[]): VerbatimValue =>
  verbatim(texts, () => `[]${type}{${texts.map(goQuote).join(', ')}}`);
