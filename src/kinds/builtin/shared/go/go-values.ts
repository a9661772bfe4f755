import { goQuote, VerbatimValue } from '../../../../foundation/index.js';

/** Returns texts of a named Go type as the value of an error: `[]flowcontrol.Verb{"get", "list"}`. */
export const goSlice = (type: string, texts: readonly string[]): VerbatimValue =>
  new VerbatimValue(`[]${type}{${texts.map(goQuote).join(', ')}}`);
