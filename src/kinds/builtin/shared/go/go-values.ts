import { VerbatimValue } from '../../../../foundation/errors/field-error.js';
import { goQuote } from '../../../../foundation/go/go-text.js';

/** Returns texts of a named Go type as the value of an error: `[]flowcontrol.Verb{"get", "list"}`. */
export const goSlice = (type: string, texts: readonly string[]): VerbatimValue =>
  new VerbatimValue(`[]${type}{${texts.map(goQuote).join(', ')}}`);
