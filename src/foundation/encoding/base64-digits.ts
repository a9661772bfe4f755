/** Value of a character that is not a digit of an alphabet. */
export const NOT_A_DIGIT = 0xff;

/** Returns the values of the digits of an ASCII alphabet, by character code; {@link NOT_A_DIGIT} for other characters. */
export function digitValues(alphabet: string): Readonly<Uint8Array> {
  const values = new Uint8Array(0x80).fill(NOT_A_DIGIT);
  for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value;
  return values;
}
