export {
  COMMON_FIELDS,
  escapeFieldValue,
  fieldNotSupportedText,
  FieldSelector,
  unknownFieldText,
  type FieldRequirement,
} from './fields.js';
export { LabelRequirement, type LabelOperator, type Labels } from './label-requirement.js';
export {
  LabelSelector,
  validateLabelSelector,
  type LabelSelectorExpression,
  type LabelSelectorObject,
} from './labels.js';
export { DEFAULT_MAX_SELECTOR_CHARACTERS, type SelectorLimits } from './limits.js';
