import {
  decodeBase64,
  dnsLabel1035Errors,
  dnsSubdomainErrors,
  FieldErrorList,
  formatTime,
  goQuote,
  invalid,
  notSupported,
  pathSegment,
  required,
  type Dialect,
  type FieldError,
  type NameRule,
} from '../../../foundation/index.js';
import { statusSubresource } from '../../../registry/index.js';
import type { apiregistrationV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { nameErrors } from '../shared/validate.js';

type Spec = apiregistrationV1.APIServiceSpec;
type Status = apiregistrationV1.APIServiceStatus;

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const STATUSES = ['True', 'False', 'Unknown'];
const AVAILABLE = 'Available';

/** The condition of a version that the server itself serves. */
const LOCALLY_AVAILABLE = {
  type: AVAILABLE,
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** The name is the version and the group: `v1.apps`; `v1.` for the core group. */
const nameRuleFor =
  ({ group = '', version = '' }: Partial<Pick<Spec, 'group' | 'version'>>): NameRule =>
  (name) => {
    const problems = pathSegment(name, false);
    if (problems.length > 0) return problems;
    const wanted = `${version}.${group}`;
    return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`];
  };

function specErrors(spec: Spec, { shortProduct }: Dialect): FieldError[] {
  const errors = new FieldErrorList();
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  if (group === '' && version !== 'v1')
    errors.push(required('spec.group', `only v1 may have an empty group and it better be legacy ${shortProduct}`));
  if (group !== '') nameErrors(errors, 'spec.group', group, dnsSubdomainErrors(group));
  nameErrors(errors, 'spec.version', version, dnsLabel1035Errors(version));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > MAX_GROUP_PRIORITY)
    errors.push(invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'));
  if (versionPriority <= 0 || versionPriority > MAX_VERSION_PRIORITY)
    errors.push(invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'));
  return [...errors, ...serviceErrors(spec)];
}

function serviceErrors({ service, caBundle = '', insecureSkipTLSVerify: insecure = false }: Spec): FieldError[] {
  const errors = new FieldErrorList();
  const bundleBytes = decodeBase64(caBundle)?.length ?? 0;
  if (service === undefined) {
    if (bundleBytes > 0)
      errors.push(invalid('spec.caBundle', `${bundleBytes} bytes`, 'local APIServices may not have a caBundle'));
    if (insecure)
      errors.push(
        invalid('spec.insecureSkipTLSVerify', insecure, 'local APIServices may not have insecureSkipTLSVerify'),
      );
    return errors;
  }
  if (!service.namespace) errors.push(required('spec.service.namespace'));
  if (!service.name) errors.push(required('spec.service.name'));
  if (insecure && bundleBytes > 0)
    errors.push(invalid('spec.insecureSkipTLSVerify', insecure, 'may not be true if caBundle is present'));
  return errors;
}

const statusErrors = ({ conditions = [] }: Status): FieldError[] =>
  conditions.flatMap(({ status }, index) =>
    STATUSES.includes(status) ? [] : [notSupported(`status.conditions[${index}].status`, status, STATUSES)],
  );

function availableCell({ conditions = [] }: Status): string {
  const condition = conditions.find(({ type }) => type === AVAILABLE);
  if (condition === undefined) return 'Unknown';
  const { status, reason = '' } = condition;
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

/** Versions of groups, and the services that serve them. */
export const apiService: Behaviour<apiregistrationV1.APIService> = {
  strategy: {
    allowUnconditionalUpdate: false,
    nameRuleOf: ({ spec = {} }) => nameRuleFor(spec),
    prepareForCreate(object, { clock }) {
      object.status =
        object.spec?.service === undefined
          ? { conditions: [{ ...LOCALLY_AVAILABLE, lastTransitionTime: formatTime(clock.now()) }] }
          : {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status;
    },
    validate: ({ spec }, { dialect }) => (spec === undefined ? [] : specErrors(spec, dialect)),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status = {} }) => statusErrors(status),
    },
  },
  cells: {
    Service: ({ spec }) =>
      spec?.service === undefined ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`,
    Available: ({ status = {} }) => availableCell(status),
  },
};
