/** Joins messages as Kubernetes joins errors: each once, and in brackets when there are several. */
export function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  const [only = ''] = distinct;
  return distinct.length <= 1 ? only : `[${distinct.join(', ')}]`;
}
