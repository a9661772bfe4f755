import type { AutoscalerAnnotations } from '../../../../foundation/index.js';

type Annotations = Record<string, string>;

/**
 * Returns annotations without those that hold the fields of newer versions in version v1; undefined when there are none
 * of them.
 */
export function withoutAnnotations(
  annotations: Readonly<Annotations> | undefined,
  autoscalerAnnotations: AutoscalerAnnotations,
): Annotations | undefined {
  const names: readonly string[] = Object.values<string>({ ...autoscalerAnnotations });
  if (annotations === undefined || !names.some((name) => Object.hasOwn(annotations, name))) return undefined;
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.includes(name)));
}
