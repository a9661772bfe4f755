/**
 * Authorization checks: `authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed()`. The
 * caller provides the variables `authorizer` and `authorizer.requestResource`, and a function that decides.
 *
 * @module
 */
import { codePointCount, namespaceName, serviceAccountName } from '../../../foundation/index.js';
import { addBounds, exactly, scaleBounds, unknownSize, type CostBounds } from '../cost/cost-bounds.js';
import { LIST_COST } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { CelOpaque } from '../evaluate/values.js';
import { declare, method, type CelLibrary, type CelResult, type FunctionDeclaration } from '../types/declarations.js';
import { boolType, opaqueType, stringType, type CelOpaqueType } from '../types/types.js';
import { traversalBounds } from './estimates.js';

/** A service account whose access is checked instead of that of the user of the request. */
export interface CheckedServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The access to a resource that an expression checks. Empty fields are not restricted. */
export interface ResourceAccess {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** A field selector, not parsed; undefined when the expression gives none. */
  readonly fieldSelector?: string | undefined;
  /** A label selector, not parsed; undefined when the expression gives none. */
  readonly labelSelector?: string | undefined;
}

/** An authorization check: of a resource, or of a path that is not a resource. */
export interface AuthorizationCheck {
  readonly verb: string;
  /** The account that is checked; undefined for the user of the request. */
  readonly serviceAccount?: CheckedServiceAccount | undefined;
  readonly access: { readonly path: string } | ResourceAccess;
}

/** The decision about a check. */
export interface AuthorizationDecision {
  readonly isAllowed: boolean;
  /** Why; may be empty. */
  readonly reason: string;
  /** The error of the authorizer; undefined without an error. */
  readonly error?: string | undefined;
}

/**
 * Decides about a check. Expressions are evaluated synchronously, so the function must not wait: a caller with an
 * asynchronous authorizer decides before the evaluation, or returns an error.
 */
export type DecideAuthorization = (check: AuthorizationCheck) => AuthorizationDecision;

/** A step of a check. Steps have no equality. */
abstract class CheckStep extends CelOpaque {
  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** The function that decides, and the service account that it decides about, if any. */
interface Subject {
  readonly decide: DecideAuthorization;
  readonly serviceAccount?: CheckedServiceAccount | undefined;
}

class AuthorizerValue extends CheckStep {
  readonly typeName = 'kubernetes.authorization.Authorizer';
  readonly subject: Subject;

  constructor(subject: Subject) {
    super();
    this.subject = subject;
  }
}

class PathCheckValue extends CheckStep {
  readonly typeName = 'kubernetes.authorization.PathCheck';
  readonly subject: Subject;
  readonly path: string;

  constructor(subject: Subject, path: string) {
    super();
    this.subject = subject;
    this.path = path;
  }
}

class GroupCheckValue extends CheckStep {
  readonly typeName = 'kubernetes.authorization.GroupCheck';
  readonly subject: Subject;
  readonly group: string;

  constructor(subject: Subject, group: string) {
    super();
    this.subject = subject;
    this.group = group;
  }
}

class ResourceCheckValue extends CheckStep {
  readonly typeName = 'kubernetes.authorization.ResourceCheck';
  readonly subject: Subject;
  readonly access: ResourceAccess;

  constructor(subject: Subject, access: ResourceAccess) {
    super();
    this.subject = subject;
    this.access = access;
  }

  with(restriction: Partial<ResourceAccess>): ResourceCheckValue {
    return new ResourceCheckValue(this.subject, { ...this.access, ...restriction });
  }
}

class DecisionValue extends CheckStep {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly decision: AuthorizationDecision;

  constructor(decision: AuthorizationDecision) {
    super();
    this.decision = decision;
  }
}

const pathCheckType = opaqueType('kubernetes.authorization.PathCheck', PathCheckValue);
const groupCheckType = opaqueType('kubernetes.authorization.GroupCheck', GroupCheckValue);
const decisionType = opaqueType('kubernetes.authorization.Decision', DecisionValue);

const authorizer: CelOpaqueType<AuthorizerValue> = opaqueType('kubernetes.authorization.Authorizer', AuthorizerValue);
/** The type of the variable `authorizer`. */
export const authorizerType: CelOpaqueType = authorizer;
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelOpaqueType<ResourceCheckValue> = opaqueType(
  'kubernetes.authorization.ResourceCheck',
  ResourceCheckValue,
);

/** Returns the value of the variable `authorizer`. */
export const authorizerValue = (decide: DecideAuthorization): CelOpaque => new AuthorizerValue({ decide });

/** Returns the value of the variable `authorizer.requestResource`: a check of the requested resource. */
export const requestResourceValue = (decide: DecideAuthorization, access: ResourceAccess): CelOpaque =>
  new ResourceCheckValue({ decide }, access);

function serviceAccountOf({ subject }: AuthorizerValue, namespace: string, name: string): CelResult {
  if (serviceAccountName(name, false).length > 0) return failure('Invalid service account name');
  if (namespaceName(namespace, false).length > 0) return failure('Invalid service account namespace');
  return new AuthorizerValue({ ...subject, serviceAccount: { namespace, name } });
}

const decided = (
  { decide, serviceAccount }: Subject,
  access: AuthorizationCheck['access'],
  verb: string,
): DecisionValue => new DecisionValue(decide({ verb, serviceAccount, access }));

/** Two checks exhaust most of the cost of an expression. */
const CHECK_COST = 350_000;
const checkCost = (): number => CHECK_COST;
const checkEstimate = () => ({ cost: exactly(CHECK_COST) });

const check = declare(
  'check',
  {
    ...method(
      'pathcheck_check',
      [pathCheckType, stringType],
      decisionType,
      ([{ subject, path }, verb]) => decided(subject, { path }, verb),
      checkCost,
    ),
    estimate: checkEstimate,
  },
  {
    ...method(
      'resourcecheck_check',
      [resourceCheckType, stringType],
      decisionType,
      ([{ subject, access }, verb]) => decided(subject, access, verb),
      checkCost,
    ),
    estimate: checkEstimate,
  },
);

const restriction = (name: 'subresource' | 'namespace' | 'name'): FunctionDeclaration =>
  declare(
    name,
    method(`resourcecheck_${name}`, [resourceCheckType, stringType], resourceCheckType, ([resource, value]) =>
      resource.with({ [name]: value }),
    ),
  );

/** The functions on authorization checks. */
export const authorizerLibrary: CelLibrary = {
  name: 'authorizer',
  functions: [
    declare(
      'path',
      method('authorizer_path', [authorizer, stringType], pathCheckType, ([{ subject }, path]) =>
        path.trim() === '' ? failure('path must not be empty') : new PathCheckValue(subject, path),
      ),
    ),
    declare(
      'group',
      method(
        'authorizer_group',
        [authorizer, stringType],
        groupCheckType,
        ([{ subject }, group]) => new GroupCheckValue(subject, group),
      ),
    ),
    declare(
      'serviceAccount',
      method(
        'authorizer_serviceaccount',
        [authorizer, stringType, stringType],
        authorizer,
        ([authorizer, namespace, name]) => serviceAccountOf(authorizer, namespace, name),
      ),
    ),
    declare(
      'resource',
      method(
        'groupcheck_resource',
        [groupCheckType, stringType],
        resourceCheckType,
        ([{ subject, group }, resource]) =>
          resource.trim() === ''
            ? failure('resource must not be empty')
            : new ResourceCheckValue(subject, { group, resource, subresource: '', namespace: '', name: '' }),
      ),
    ),
    restriction('subresource'),
    restriction('namespace'),
    restriction('name'),
    check,
    declare(
      'errored',
      method('decision_errored', [decisionType], boolType, ([{ decision }]) => decision.error !== undefined),
    ),
    declare(
      'error',
      method('decision_error', [decisionType], stringType, ([{ decision }]) => decision.error ?? ''),
    ),
    declare(
      'allowed',
      method('decision_allowed', [decisionType], boolType, ([{ decision }]) => decision.isAllowed),
    ),
    declare(
      'reason',
      method('decision_reason', [decisionType], stringType, ([{ decision }]) => decision.reason),
    ),
  ],
};

/** A requirement has at least two characters, and costs a list and a struct. */
const REQUIREMENTS_PER_CHARACTER = 0.5;
const REQUIREMENT_COST = LIST_COST + 40;

const selectorCost = (length: CostBounds): CostBounds =>
  addBounds(
    addBounds(exactly(LIST_COST), traversalBounds(length)),
    scaleBounds(scaleBounds(length, REQUIREMENTS_PER_CHARACTER), REQUIREMENT_COST),
  );

const selector = (name: 'fieldSelector' | 'labelSelector', id: string): FunctionDeclaration =>
  declare(name, {
    ...method(
      id,
      [resourceCheckType, stringType],
      resourceCheckType,
      ([resource, text]) => resource.with({ [name]: text }),
      ([, text]) => Number(selectorCost(exactly(codePointCount(text))).max),
    ),
    estimate: ([, text]) => ({ cost: selectorCost(text?.size ?? unknownSize) }),
  });

/**
 * Selectors of authorization checks. In Kubernetes 1.31 they need the alpha feature AuthorizeWithSelectors, and only
 * expressions that are already stored may use them. They need {@link authorizerLibrary}.
 */
export const authorizerSelectorsLibrary: CelLibrary = {
  name: 'authorizerSelectors',
  functions: [
    selector('fieldSelector', 'authorizer_fieldselector'),
    selector('labelSelector', 'authorizer_labelselector'),
  ],
};
