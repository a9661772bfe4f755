/**
 * The object of the benchmark: a ConfigMap of 1 KiB as it is stored.
 *
 * @param {string} name
 * @returns {{ metadata: { name: string; labels: Record<string, string> }; data: Record<string, string> }}
 */
export function benchConfigMap(name) {
  return {
    metadata: { name, labels: { app: 'bench', tier: 'web' } },
    data: { 'settings.conf': 'x'.repeat(440), mode: 'fast' },
  };
}
