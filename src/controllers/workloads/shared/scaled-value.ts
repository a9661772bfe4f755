/**
 * Returns the value of a number or percentage of a total.
 *
 * @param value a number, or a text such as `25%`
 * @throws Error for another text
 */
export function scaledValue(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percentage = /^(\d+)%$/.exec(value)?.[1];
  if (percentage === undefined)
    throw new Error(`invalid value for IntOrString: invalid type: string is not a percentage`);
  const scaled = (Number(percentage) * total) / 100;
  return round === 'up' ? Math.ceil(scaled) : Math.floor(scaled);
}
