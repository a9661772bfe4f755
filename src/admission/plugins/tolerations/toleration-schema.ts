import { optionalText, structNode, type StructuralSchema } from '../../../machinery/index.js';

/** A toleration, for configurations and annotations. */
export const tolerationSchema: StructuralSchema = structNode('Toleration', {
  key: optionalText,
  operator: optionalText,
  value: optionalText,
  effect: optionalText,
  tolerationSeconds: Object.freeze({ type: 'integer', format: 'int64', presence: 'keep' }),
});
