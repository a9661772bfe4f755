export function benchConfigMap(name: string): {
  metadata: { name: string; labels: Record<string, string> };
  data: Record<string, string>;
};
