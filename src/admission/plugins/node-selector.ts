/** Labels that a node must have. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Reads a selector of labels, each with one value. Returns undefined when it is not one.
 *
 * @param text `env=test,region=west`
 */
export function readNodeSelector(text: string): Labels | undefined {
  const labels: Record<string, string> = {};
  if (text.trim() === '') return labels;
  for (const part of text.split(',')) {
    const [key = '', value, ...more] = part.split('=');
    if (key.trim() === '' || value === undefined || more.length > 0) return undefined;
    labels[key.trim()] = value.trim();
  }
  return labels;
}
