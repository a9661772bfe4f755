import {
  invalid,
  isJsonObject,
  notSupported,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
/**
 * Validation of requests for devices, which claims and their templates share.
 *
 * @module
 */
import type { resourceV1alpha3 } from '../../types/index.js';
import type { DeviceExpressions } from './device-expressions.js';
import { MAX_ITEMS } from './limits.js';
import { validateList, validateSet } from './lists.js';
import { validateClassName, validateDriver, validateFullName, validateLabel } from './names.js';

type Request = resourceV1alpha3.DeviceRequest;

const MODES = ['All', 'ExactCount'];

const itself = (name: string): string => name;

/** Returns the names of the requests of a claim. */
export const requestNames = ({ devices }: resourceV1alpha3.ResourceClaimSpec): ReadonlySet<string> =>
  new Set(devices?.requests?.map(({ name }) => name));

/** Adds the errors of the spec of a claim. */
export function* validateClaimSpec(
  errors: FieldErrorList,
  path: string,
  spec: resourceV1alpha3.ResourceClaimSpec,
  compiler: DeviceExpressions,
): Steps<void> {
  const { devices = {}, controller = '' } = spec;
  const names = requestNames(spec);
  const at = `${path}.devices`;
  yield* validateSet(
    errors,
    `${at}.requests`,
    devices.requests ?? [],
    MAX_ITEMS,
    (_, requestPath, request) => validateRequest(errors, requestPath, request, compiler),
    ({ name }) => name,
    'name',
  );
  yield* validateList(
    errors,
    `${at}.constraints`,
    devices.constraints ?? [],
    MAX_ITEMS,
    (_, constraintPath, constraint) => validateConstraint(errors, constraintPath, constraint, names),
  );
  yield* validateList(errors, `${at}.config`, devices.config ?? [], MAX_ITEMS, function* (_, configPath, config) {
    yield* validateRequestRefs(errors, `${configPath}.requests`, config.requests, names);
    validateConfiguration(errors, configPath, config);
  });
  if (controller !== '') validateDriver(errors, `${path}.controller`, controller);
}

function* validateRequest(
  errors: FieldErrorList,
  path: string,
  request: Request,
  compiler: DeviceExpressions,
): Steps<void> {
  const { name, deviceClassName, selectors = [], allocationMode: mode = '', count = 0 } = request;
  validateLabel(errors, `${path}.name`, name);
  validateClassName(errors, `${path}.deviceClassName`, deviceClassName);
  yield* validateSelectors(errors, `${path}.selectors`, selectors, compiler);
  if (mode === 'All') {
    if (count !== 0) errors.push(invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"));
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.push(invalid(`${path}.count`, count, 'must be greater than zero'));
  } else errors.push(notSupported(`${path}.allocationMode`, mode, MODES));
}

/** Adds the errors of expressions that select devices. */
export function* validateSelectors(
  errors: FieldErrorList,
  path: string,
  selectors: readonly resourceV1alpha3.DeviceSelector[],
  compiler: DeviceExpressions,
): Steps<void> {
  yield* validateList(errors, path, selectors, MAX_ITEMS, (_, at, { cel }) => {
    if (cel === undefined) return void errors.push(required(`${at}.cel`));
    const problem = compiler.problem(cel.expression);
    if (problem !== undefined) errors.push(invalid(`${at}.cel.expression`, cel.expression, problem));
  });
}

function* validateConstraint(
  errors: FieldErrorList,
  path: string,
  { requests, matchAttribute }: resourceV1alpha3.DeviceConstraint,
  names: ReadonlySet<string>,
): Steps<void> {
  yield* validateRequestRefs(errors, `${path}.requests`, requests, names);
  if (matchAttribute === undefined) errors.push(required(`${path}.matchAttribute`));
  else validateFullName(errors, `${path}.matchAttribute`, matchAttribute);
}

/** Adds the errors of a reference to a request. */
export function validateRequestRef(errors: FieldError[], path: string, name: string, names: ReadonlySet<string>): void {
  validateLabel(errors, path, name);
  if (!names.has(name)) errors.push(invalid(path, name, 'must be the name of a request in the claim'));
}

/** Adds the errors of references to requests. */
export function* validateRequestRefs(
  errors: FieldErrorList,
  path: string,
  references: readonly string[] = [],
  names: ReadonlySet<string>,
): Steps<void> {
  yield* validateSet(
    errors,
    path,
    references,
    MAX_ITEMS,
    (_, at, name) => validateRequestRef(errors, at, name, names),
    itself,
  );
}

/** Adds the errors of the configuration of devices, which only their driver understands. */
export function validateConfiguration(
  errors: FieldError[],
  path: string,
  { opaque }: resourceV1alpha3.DeviceConfiguration,
): void {
  if (opaque === undefined) return void errors.push(required(`${path}.opaque`));
  validateDriver(errors, `${path}.opaque.driver`, opaque.driver);
  // Absent parameters are read as an empty object.
  if (!isJsonObject(opaque.parameters))
    errors.push(invalid(`${path}.opaque.parameters`, '<value omitted>', 'parameters must be a valid JSON object'));
}

interface DefaultedRequests {
  readonly devices?: { readonly requests?: readonly RequestDefaults[] | null | undefined } | undefined;
}

interface RequestDefaults {
  readonly allocationMode?: string | undefined;
  count?: number | undefined;
}

/** Sets the defaults of requests: one device, unless all devices are requested. */
export function setRequestDefaults(spec: DefaultedRequests | undefined): void {
  for (const request of spec?.devices?.requests ?? [])
    if (request.allocationMode === 'ExactCount' && (request.count ?? 0) === 0) request.count = 1;
}
