/**
 * Rules that are declared with the field that they are about: a field is mandatory, has one of a few values, a range, a
 * length or a form. A kind has a table of them beside its other validation:
 *
 *     const portRules = fields<EndpointPort>({
 *       name: filled(valid(dnsLabelErrors)),
 *       protocol: mandatory(oneOf(PROTOCOLS)),
 *     });
 *
 * The errors have the order of the table and the words of Kubernetes. A rule is a function of the value of one field, so
 * a function written by hand can stand in a table, and a rule can be called by itself.
 *
 * Written by hand is what depends on more than the value of one field: on another field, on the previous object, on the
 * options or the dialect of the server, on what the list contains before. So is a rule whose error names another field
 * or value than its own, and a field that Kubernetes checks twice, with others in between.
 *
 * @module
 */
import {
  invalid,
  isSteps,
  notSupported,
  required,
  resultOf,
  tooLong,
  tooMany,
  utf8Length,
  type FieldErrorList,
  type MaybeSteps,
  type Steps,
} from '../../../foundation/index.js';

/** A rule of a field. In a table it holds for a field that is set. */
export interface Rule<Value, Result extends MaybeSteps<void> = MaybeSteps<void>> {
  /**
   * Adds the errors of the value of a field.
   *
   * @param path path of the field
   * @param value undefined where the field is absent
   */
  (errors: FieldErrorList, path: string, value: Value | undefined): Result;
  /** Whether the rule holds for an absent field as well. */
  readonly ofAbsent?: boolean | undefined;
}

/** A rule that needs no steps. */
export type Check<Value> = Rule<Value, void>;

/** The rules of the fields of an object, in the order of their errors. A field that is null counts as absent. */
export type FieldRules<Value> = { readonly [Field in keyof Value]?: Rule<NonNullable<Value[Field]>> };

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/**
 * Requires a value that is neither absent nor an empty string or list.
 *
 * @param detail the words of the error; none by default
 * @param rule what holds for the value
 */
export function mandatory<Value, Result extends MaybeSteps<void> = void>(
  detail: string,
  rule?: Rule<Value, Result>,
): Rule<Value, Result | void>;
export function mandatory<Value, Result extends MaybeSteps<void> = void>(
  rule?: Rule<Value, Result>,
): Rule<Value, Result | void>;
export function mandatory<Value, Result extends MaybeSteps<void>>(
  first: string | Rule<Value, Result> = '',
  second?: Rule<Value, Result>,
): Rule<Value, Result | void> {
  const [detail, rule] = typeof first === 'string' ? [first, second] : ['', first];
  return ofAbsent((errors, path, value) =>
    value === undefined || isEmpty(value) ? void errors.push(required(path, detail)) : rule?.(errors, path, value),
  );
}

/** Lets a rule hold for absent fields as well. */
const ofAbsent = <Value, Result extends MaybeSteps<void>>(rule: Rule<Value, Result>): Rule<Value, Result> =>
  Object.assign(rule, { ofAbsent: true });

/** Applies a rule to what is not empty. */
export const filled =
  <Value, Result extends MaybeSteps<void>>(rule: Rule<Value, Result>): Rule<Value, Result | void> =>
  (errors, path, value) =>
    isEmpty(value) ? undefined : rule(errors, path, value);

/** Applies a rule where the field is set: to an empty value, too, which may be an error of its own. */
export const whereSet =
  <Value, Result extends MaybeSteps<void>>(rule: Rule<Value, Result>): Rule<Value, Result | void> =>
  (errors, path, value) =>
    value === undefined ? undefined : rule(errors, path, value);

/** Applies a rule to a field that counts as having a value where it is absent: Go's empty value, by its type. */
export const absentAs = <Value, Result extends MaybeSteps<void>>(
  empty: NoInfer<Value>,
  rule: Rule<Value, Result>,
): Rule<Value, Result> => ofAbsent((errors, path, value) => rule(errors, path, value ?? empty));

/** Requires one of the supported values, which the error shows in this order. */
export const oneOf =
  (supported: readonly string[]): Check<string> =>
  (errors, path, value) => {
    if (value !== undefined && !supported.includes(value)) errors.push(notSupported(path, value, supported));
  };

/**
 * Requires a form.
 *
 * @param problemsOf returns what is wrong with a value; a name rule, whose names are complete
 */
export const valid =
  <Value>(problemsOf: (value: Value, isPrefix: boolean) => readonly string[]): Check<Value> =>
  (errors, path, value) => {
    if (value === undefined) return;
    for (const problem of problemsOf(value, false)) errors.push(invalid(path, value, problem));
  };

/** Requires a number of at least `least`. */
export const atLeast =
  (least: number, detail = `must be greater than or equal to ${least}`): Check<number> =>
  (errors, path, value) => {
    if (value !== undefined && value < least) errors.push(invalid(path, value, detail));
  };

/** Requires a number of at most `most`. */
export const atMost =
  (most: number, detail = `must be less than or equal to ${most}`): Check<number> =>
  (errors, path, value) => {
    if (value !== undefined && value > most) errors.push(invalid(path, value, detail));
  };

/** Requires a number from `least` to `most`. */
export const between =
  (least: number, most: number, detail = `must be between ${least} and ${most}, inclusive`): Check<number> =>
  (errors, path, value) => {
    if (value !== undefined && (value < least || value > most)) errors.push(invalid(path, value, detail));
  };

/** Requires a string of at most `most` bytes of UTF-8. */
export const maxBytes =
  (most: number): Check<string> =>
  (errors, path, value) => {
    if (value !== undefined && utf8Length(value) > most) errors.push(tooLong(path, value, most));
  };

/**
 * Requires a list of at most `most` items.
 *
 * @param rule what holds for a list that is not longer
 */
export const maxItems =
  <Item>(most: number, rule?: Rule<readonly Item[]>): Rule<readonly Item[]> =>
  (errors, path, value) =>
    value !== undefined && value.length > most
      ? void errors.push(tooMany(path, value.length, most))
      : rule?.(errors, path, value);

/** Applies several rules to a value, in order. */
export function allOf<Value>(...rules: readonly Rule<Value>[]): Rule<Value> {
  const inOrder = (errors: FieldErrorList, path: string, value: Value | undefined, from: number): MaybeSteps<void> => {
    for (let index = from; index < rules.length; index += 1) {
      const steps = rules[index]?.(errors, path, value);
      if (isSteps(steps)) return followed(steps, () => inOrder(errors, path, value, index + 1));
    }
  };
  const all: Rule<Value> = (errors, path, value) => inOrder(errors, path, value, 0);
  return rules.some((rule) => rule.ofAbsent === true) ? ofAbsent(all) : all;
}

/** Applies a rule to each item of a list. */
export const each =
  <Item>(rule: Rule<Item>): Rule<readonly Item[]> =>
  (errors, path, items) =>
    items === undefined || items.length === 0 ? undefined : ofItems(errors, path, items, rule);

function* ofItems<Item>(errors: FieldErrorList, path: string, items: readonly Item[], rule: Rule<Item>): Steps<void> {
  for (const [index, item] of items.entries()) {
    if (errors.spend()) yield;
    const steps = rule(errors, `${path}[${index}]`, item);
    if (isSteps(steps)) yield* steps;
  }
}

/** Applies rules to the fields of an object. The path of the whole object is empty. */
export function fields<Value extends object>(rules: FieldRules<Value>): Rule<Value> {
  const checks: ((errors: FieldErrorList, path: string, object: Value) => MaybeSteps<void>)[] = [];
  for (const name in rules) checks.push(checkOf(name, rules));
  const inOrder = (errors: FieldErrorList, path: string, object: Value, from: number): MaybeSteps<void> => {
    for (let index = from; index < checks.length; index += 1) {
      const steps = checks[index]?.(errors, path, object);
      if (isSteps(steps)) return followed(steps, () => inOrder(errors, path, object, index + 1));
    }
  };
  return (errors, path, object) => (object === undefined ? undefined : inOrder(errors, path, object, 0));
}

function checkOf<Value, Field extends Extract<keyof Value, string>>(
  name: Field,
  rules: FieldRules<Value>,
): (errors: FieldErrorList, path: string, object: Value) => MaybeSteps<void> {
  const rule: Rule<NonNullable<Value[Field]>> | undefined = rules[name];
  if (rule === undefined) return () => undefined;
  const isForAbsent = rule.ofAbsent === true;
  return (errors, path, object) => {
    const value = object[name] ?? undefined;
    // Most optional fields are absent: their paths are not made.
    if (value !== undefined || isForAbsent) return rule(errors, path === '' ? name : `${path}.${name}`, value);
  };
}

/** Takes steps, and then those of what follows. */
function* followed(steps: Steps<void>, next: () => MaybeSteps<void>): Steps<void> {
  yield* steps;
  yield* resultOf(next());
}
