import {
  allErrors,
  FieldErrorList,
  invalid,
  parseSemanticVersion,
  required,
  utf8Length,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { validateNodeSelector } from '../shared/selectors/validate-node-selector.js';
import { immutableField } from '../shared/validate.js';
import { longerThan, MAX_ATTRIBUTES, MAX_DEVICES, MAX_VALUE_BYTES } from './limits.js';
import { validateSet } from './lists.js';
import { validateDriver, validateLabel, validateNode, validatePool, validateQualifiedName } from './names.js';

type Spec = resourceV1alpha3.ResourceSliceSpec;
type Attribute = resourceV1alpha3.DeviceAttribute;

const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';

function* specErrors(spec: Spec, old: Spec | undefined, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { driver, pool, devices } = spec;
  validateDriver(errors, 'spec.driver', driver);
  yield* validatePool(errors, 'spec.pool.name', pool.name);
  if (pool.resourceSliceCount <= 0)
    errors.push(invalid('spec.pool.resourceSliceCount', pool.resourceSliceCount, 'must be greater than zero'));
  if (pool.generation < 0)
    errors.push(invalid('spec.pool.generation', pool.generation, 'must be greater than or equal to zero'));
  if (old !== undefined) {
    immutableField(errors, 'spec.pool.name', pool.name, old.pool.name);
    immutableField(errors, 'spec.driver', driver, old.driver);
    immutableField(errors, 'spec.nodeName', spec.nodeName ?? '', old.nodeName ?? '');
  }
  return allErrors(errors, yield* placeErrors(spec, work), yield* deviceErrors(devices ?? [], work));
}

/** A slice belongs to one node, to selected nodes or to all nodes. */
function* placeErrors(spec: Spec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { nodeName = '', nodeSelector, allNodes = false } = spec;
  if (nodeName !== '') validateNode(errors, 'spec.nodeName', nodeName);
  if (nodeSelector !== undefined) {
    yield* validateNodeSelector(errors, 'spec.nodeSelector', nodeSelector);
    const { nodeSelectorTerms: terms } = nodeSelector;
    // One term can be merged with those of other slices.
    if (terms.length !== 1)
      errors.push(invalid('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one selector term'));
  }
  const places = [nodeName !== '', nodeSelector !== undefined, allNodes].filter(Boolean).length;
  if (places === 0) errors.push(required('spec', ONE_PLACE));
  if (places > 1) errors.push(invalid('spec', spec, ONE_PLACE));
  return errors;
}

function* deviceErrors(devices: readonly resourceV1alpha3.Device[], work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  yield* validateSet(errors, 'spec.devices', devices, MAX_DEVICES, validateDevice, ({ name }) => name, 'name');
  return errors;
}

function* validateDevice(errors: FieldErrorList, path: string, { name, basic }: resourceV1alpha3.Device): Steps<void> {
  validateLabel(errors, `${path}.name`, name);
  if (basic === undefined) return void errors.push(required(`${path}.basic`));
  const at = `${path}.basic`;
  const attributes = Object.entries(basic.attributes ?? {});
  const capacities = Object.keys(basic.capacity ?? {});
  for (const [key, attribute] of attributes) {
    if (errors.spend()) yield;
    validateQualifiedName(errors, `${at}.attributes`, key);
    validateAttribute(errors, `${at}.attributes[${key}]`, attribute);
  }
  for (const key of capacities) {
    if (errors.spend()) yield;
    validateQualifiedName(errors, `${at}.capacity`, key);
  }
  const count = attributes.length + capacities.length;
  if (count > MAX_ATTRIBUTES)
    errors.push(invalid(at, count, `the total number of attributes and capacities must not exceed ${MAX_ATTRIBUTES}`));
}

function validateAttribute(errors: FieldError[], path: string, attribute: Attribute): void {
  const { bool, int, string: text, version } = attribute;
  if (text !== undefined && utf8Length(text) > MAX_VALUE_BYTES)
    errors.push(longerThan(`${path}.string`, MAX_VALUE_BYTES));
  if (version !== undefined) {
    if (parseSemanticVersion(version) === undefined)
      errors.push(invalid(`${path}.version`, version, 'must be a string compatible with semver.org spec 2.0.0'));
    if (utf8Length(version) > MAX_VALUE_BYTES) errors.push(longerThan(`${path}.version`, MAX_VALUE_BYTES));
  }
  const values = [bool, int, text, version].filter((value) => value !== undefined).length;
  if (values === 0) errors.push(required(path, 'exactly one value must be specified'));
  if (values > 1) errors.push(invalid(path, attribute, 'exactly one field must be specified'));
}

/** Devices of one driver, on one node or on several. */
export const resourceSlice: Behaviour<resourceV1alpha3.ResourceSlice> = {
  strategy: {
    countsGeneration: true,
    validate: ({ spec }, { work }, old) => specErrors(spec, old?.spec, work),
  },
  cells: {
    Node: ({ spec }) => spec.nodeName ?? '',
    Driver: ({ spec }) => spec.driver,
    Pool: ({ spec }) => spec.pool.name,
  },
};
