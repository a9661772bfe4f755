import type { Dialect } from '../../../../foundation/index.js';

const MAX_INT32 = 2 ** 31 - 1;
const INTEGER = /^(0|-?[1-9][0-9]*|-0+)$/;

/** Returns the annotation with the cost of deleting a pod: a replica set deletes cheaper pods first. */
export const deletionCostAnnotation = ({ labelDomain }: Dialect): string =>
  `controller.${labelDomain}/pod-deletion-cost`;

/** Returns the value of an invalid cost in annotations; undefined when it is valid or absent. */
export function deletionCostError(annotations: Readonly<Record<string, string>>, dialect: Dialect): string | undefined {
  const value = annotations[deletionCostAnnotation(dialect)];
  if (value === undefined) return undefined;
  const cost = Number(value);
  return INTEGER.test(value) && cost >= -MAX_INT32 - 1 && cost <= MAX_INT32 ? undefined : value;
}
