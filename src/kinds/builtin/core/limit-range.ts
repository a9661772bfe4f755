import {
  compareQuantity,
  duplicate,
  FieldErrorList,
  forbidden,
  invalid,
  qualifiedName,
  quantityToBigInt,
  required,
  type Dialect,
  type FieldError,
  type Steps,
} from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { goQuantity } from '../shared/go/go-quantity.js';
import { mayBeOvercommitted, validateContainerResourceName, validateResourceName } from '../shared/resource-names.js';

type Item = coreV1.LimitRangeItem;
type Amounts = Readonly<Record<string, string>>;

const CONTAINER = 'Container';
const POD = 'Pod';
const CLAIM = 'PersistentVolumeClaim';
const TYPES = [POD, CONTAINER, CLAIM];

/** The amounts of an item, in the order in which Kubernetes checks their names. */
const FIELDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type AmountField = (typeof FIELDS)[number];
const DEFAULTS: readonly AmountField[] = ['default', 'defaultRequest'];

/** Sets the defaults of containers: a limit is at most the maximum, a request the limit or the minimum. */
function setContainerDefaults(item: Partial<Item>): void {
  if (item.type !== CONTAINER) return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function validateType(errors: FieldError[], path: string, type: string): void {
  const problems = qualifiedName(type);
  for (const problem of problems) errors.push(invalid(path, type, problem));
  if (problems.length === 0 && !type.includes('/') && !TYPES.includes(type))
    errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
}

/** Returns the amounts that count: an item of pods has no defaults. */
const amountsOf = (item: Item, field: AmountField): Amounts =>
  item.type === POD && DEFAULTS.includes(field) ? {} : (item[field] ?? {});

function* validateNames(errors: FieldErrorList, path: string, item: Item, dialect: Dialect): Steps<void> {
  for (const field of FIELDS) {
    if (field === 'default' && item.type === POD)
      for (const refused of DEFAULTS)
        if (Object.keys(item[refused] ?? {}).length > 0)
          errors.push(forbidden(`${path}.${refused}`, "may not be specified when `type` is 'Pod'"));
    if (field === 'maxLimitRequestRatio') requireStorage(errors, path, item);
    for (const name of Object.keys(amountsOf(item, field))) {
      if (errors.spend()) yield;
      const at = `${path}.${field}[${name}]`;
      if (item.type === POD || item.type === CONTAINER) validateContainerResourceName(errors, at, name, dialect);
      else validateResourceName(errors, at, name);
    }
  }
}

function requireStorage(errors: FieldError[], path: string, { type, min, max }: Item): void {
  if (type !== CLAIM || min?.['storage'] !== undefined || max?.['storage'] !== undefined) return;
  errors.push(
    required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
  );
}

/** The amounts of one resource. */
type Limits = Partial<Record<AmountField, string>>;

/** Two fields of which the first must not exceed the second, and the words for them in the error. */
interface Order {
  readonly low: AmountField;
  readonly high: AmountField;
  /** The field that the error names, and the one whose amount it shows. */
  readonly at: AmountField;
  readonly shown: AmountField;
  readonly words: readonly [low: string, high: string];
}

const ORDERS: readonly Order[] = [
  { low: 'min', high: 'max', at: 'min', shown: 'min', words: ['min', 'max'] },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['min', 'default request'],
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request', 'max'],
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request', 'default limit'],
  },
  { low: 'min', high: 'default', at: 'default', shown: 'min', words: ['min', 'default'] },
  { low: 'default', high: 'max', at: 'default', shown: 'max', words: ['default', 'max'] },
];

function validateOrder(errors: FieldError[], path: string, name: string, limits: Limits): void {
  for (const { low, high, at, shown, words } of ORDERS) {
    const lower = limits[low];
    const higher = limits[high];
    if (lower === undefined || higher === undefined || (compareQuantity(lower, higher) ?? 0) <= 0) continue;
    const detail = `${words[0]} value ${lower} is greater than ${words[1]} value ${higher}`;
    errors.push(invalid(`${path}.${at}[${name}]`, goQuantity(limits[shown] ?? ''), detail));
  }
}

/** Above this, Kubernetes calculates in whole units instead of thousandths. */
const MAX_THOUSANDTHS = 9_223_372_036_854_775n;

function validateRatio(errors: FieldError[], path: string, name: string, limits: Limits): void {
  const { maxLimitRequestRatio: ratio, min, max } = limits;
  if (ratio === undefined) return;
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  if ((compareQuantity(ratio, '1') ?? 0) < 0)
    errors.push(invalid(at, goQuantity(ratio), `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return;
  const whole = [ratio, min, max].map((amount) => quantityToBigInt(amount) ?? 0n);
  const scale = whole.every((value) => value < MAX_THOUSANDTHS) ? -3 : 0;
  const [allowed = 0, least = 0, most = 0] = [ratio, min, max].map((amount) =>
    Number(quantityToBigInt(amount, scale) ?? 0n),
  );
  const greatest = most / least;
  if (allowed / 10 ** -scale > greatest)
    errors.push(invalid(at, goQuantity(ratio), `ratio ${ratio} is greater than max/min = ${goFixed(greatest)}`));
}

/** Formats a number as Go's `%f`. */
const goFixed = (value: number): string => (value === Infinity ? '+Inf' : value.toFixed(6));

function* validateItem(errors: FieldErrorList, path: string, item: Item, dialect: Dialect): Steps<void> {
  yield* validateNames(errors, path, item, dialect);
  const names = new Set(FIELDS.flatMap((field) => Object.keys(amountsOf(item, field))));
  for (const name of names) {
    if (errors.spend()) yield;
    const limits: Limits = {};
    for (const field of FIELDS) {
      const amount = amountsOf(item, field)[name];
      if (amount !== undefined) limits[field] = amount;
    }
    validateOrder(errors, path, name, limits);
    validateRatio(errors, path, name, limits);
    validateCommitment(errors, path, name, limits, dialect);
  }
}

/** Request and limit of a resource that cannot be overcommitted must be equal. */
function validateCommitment(
  errors: FieldError[],
  path: string,
  name: string,
  { default: limit, defaultRequest: request }: Limits,
  dialect: Dialect,
): void {
  if (limit === undefined || request === undefined || mayBeOvercommitted(name, dialect)) return;
  if (compareQuantity(limit, request) === 0) return;
  errors.push(
    invalid(
      `${path}.defaultRequest[${name}]`,
      goQuantity(request),
      `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
    ),
  );
}

const strategy: Strategy<StoredKind<coreV1.LimitRange>> = {
  allowCreateOnUpdate: true,
  defaults({ spec }) {
    for (const item of spec?.limits ?? []) setContainerDefaults(item as Partial<Item>);
  },
  prepareForCreate({ metadata }, { entropy }) {
    if ((metadata.name ?? '') === '') metadata.name = entropy.uuid();
  },
  *validate({ spec }, { dialect, work }) {
    const errors = new FieldErrorList(work);
    const types = new Set<string>();
    for (const [index, item] of (spec?.limits ?? []).entries()) {
      if (errors.spend()) yield;
      const path = `spec.limits[${index}]`;
      validateType(errors, `${path}.type`, item.type);
      if (types.has(item.type)) errors.push(duplicate(`${path}.type`, item.type));
      types.add(item.type);
      yield* validateItem(errors, path, item, dialect);
    }
    return errors;
  },
};

/** The behaviour of LimitRanges: they are validated here; admission enforces them. */
export const limitRangeBehaviour: Behaviour<coreV1.LimitRange> = { strategy };
