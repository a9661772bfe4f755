/**
 * Formats a double as Go's `FormatFloat(value, 'g', -1, 64)` does: the shortest digits that parse to the same double,
 * with an exponent below 1e-4 and from 1e6 on. Must not be called with infinities or NaN.
 */
export function goFloat(value: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const magnitude = Math.abs(exponent);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${magnitude < 10 ? '0' : ''}${magnitude}`;
}
