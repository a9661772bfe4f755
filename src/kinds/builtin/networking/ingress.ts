import {
  dnsLabel1035,
  dnsSubdomain,
  dnsSubdomainErrors,
  equalValueSteps,
  FieldErrorList,
  invalid,
  notSupported,
  pathSegment,
  patternText,
  required,
  resultOf,
  VerbatimValue,
  type Dialect,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { SubresourceStrategy } from '../../../registry/index.js';
import type { coreV1, networkingV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { portName, portNumber } from '../core/pod/validate/validate-ports.js';
import { balancerHostErrors } from '../core/service/status.js';
import { NONE } from '../shared/columns.js';
import { each, fields, filled, mandatory, valid } from '../shared/field-rules.js';
import { IP_TEXT, ipOctets } from '../shared/network/ip-address.js';
import { balancerAddresses } from '../shared/network/network-cells.js';
import { incrementGeneration } from '../shared/spec.js';
import { nameErrors } from '../shared/validate.js';

type IngressObject = StoredKind<networkingV1.Ingress>;
type Spec = networkingV1.IngressSpec;

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDINGS = ['/..', '/.'];
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_PATTERN = `\\*\\.${LABEL}(\\.${LABEL})*`;
const WILDCARD_TEXT = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD_PATTERN,
  '*.example.com',
);

/** Returns the problems of a wildcard host. */
function wildcardErrors(host: string): string[] {
  const problems = host.length > 253 ? ['must be no more than 253 characters'] : [];
  return new RegExp(`^${WILDCARD_PATTERN}$`).test(host) ? problems : [...problems, WILDCARD_TEXT];
}

const isWildcard = (host: string): boolean => host.includes('*');

const hostRule = valid((host: string) => (isWildcard(host) ? wildcardErrors(host) : dnsSubdomainErrors(host)));
const hostsRule = each(hostRule);
const className = valid(dnsSubdomain);

/** Relaxed rules for what a stored ingress already has. */
interface Relaxed {
  /** Names of secrets are not checked. */
  readonly secretNames: boolean;
  /** The paths of wildcard hosts are not checked. */
  readonly wildcardRules: boolean;
}

function* relaxedFor(old: IngressObject | undefined, work: Work | undefined): Steps<Relaxed> {
  const { tls = [], rules = [] } = old?.spec ?? {};
  const secrets = new FieldErrorList(work);
  for (const { secretName = '' } of tls) {
    if (secrets.spend()) yield;
    if (secretName !== '') nameErrors(secrets, '', secretName, dnsSubdomainErrors(secretName));
  }
  const paths = new FieldErrorList(work);
  for (const rule of rules) {
    if (paths.spend()) yield;
    if (isWildcard(rule.host ?? '')) yield* pathsErrors(paths, '', rule);
  }
  return { secretNames: secrets.length > 0, wildcardRules: paths.length > 0 };
}

/** @see release 1.31, `ValidateIngressSpec` of networking */
function* specErrors(errors: FieldErrorList, spec: Spec, relaxed: Relaxed): Steps<void> {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    const none = new VerbatimValue(
      spec.rules === undefined ? '[]networking.IngressRule(nil)' : '[]networking.IngressRule{}',
    );
    errors.push(invalid('spec', none, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend !== undefined) yield* backendErrors(errors, 'spec.defaultBackend', defaultBackend);
  for (const [index, rule] of rules.entries()) {
    if (errors.spend()) yield;
    yield* ruleErrors(errors, `spec.rules[${index}]`, rule, relaxed);
  }
  for (const [index, { hosts = [], secretName = '' }] of tls.entries()) {
    if (errors.spend()) yield;
    const path = `spec.tls[${index}]`;
    yield* resultOf(hostsRule(errors, `${path}.hosts`, hosts));
    if (!relaxed.secretNames && secretName !== '')
      nameErrors(errors, `${path}.secretName`, secretName, dnsSubdomainErrors(secretName));
  }
  className(errors, 'spec.ingressClassName', ingressClassName);
}

function* ruleErrors(
  errors: FieldErrorList,
  path: string,
  rule: networkingV1.IngressRule,
  relaxed: Relaxed,
): Steps<void> {
  const { host = '' } = rule;
  if (host !== '') {
    if (ipOctets(host) !== undefined)
      errors.push(invalid(`${path}.host`, host, 'must be a DNS name, not an IP address'));
    hostRule(errors, `${path}.host`, host);
  }
  if (!isWildcard(host) || !relaxed.wildcardRules) yield* pathsErrors(errors, path, rule);
}

function* pathsErrors(errors: FieldErrorList, path: string, { http }: networkingV1.IngressRule): Steps<void> {
  if (http === undefined) return;
  if (http.paths.length === 0) errors.push(required(`${path}.http.paths`));
  for (const [index, one] of http.paths.entries()) {
    if (errors.spend()) yield;
    yield* pathErrors(errors, `${path}.http.paths[${index}]`, one);
  }
}

function* pathErrors(errors: FieldErrorList, at: string, one: networkingV1.HTTPIngressPath): Steps<void> {
  const { path = '', pathType, backend } = one;
  // An absent type is null. An empty one is refused like it, where Kubernetes calls it unsupported.
  if (!pathType) return void errors.push(required(`${at}.pathType`, 'pathType must be specified'));
  const isSpecific = pathType === 'ImplementationSpecific';
  if (!PATH_TYPES.includes(pathType)) errors.push(notSupported(`${at}.pathType`, pathType, PATH_TYPES));
  else {
    if (!path.startsWith('/') && !(isSpecific && path === ''))
      errors.push(invalid(`${at}.path`, path, 'must be an absolute path'));
    if (!isSpecific) {
      for (const sequence of FORBIDDEN_SEQUENCES)
        if (path.includes(sequence)) errors.push(invalid(`${at}.path`, path, `must not contain '${sequence}'`));
      for (const ending of FORBIDDEN_ENDINGS)
        if (path.endsWith(ending)) errors.push(invalid(`${at}.path`, path, `cannot end with '${ending}'`));
    }
  }
  yield* backendErrors(errors, `${at}.backend`, backend);
}

const serviceName = mandatory(valid(dnsLabel1035));

function* backendErrors(errors: FieldErrorList, path: string, backend: networkingV1.IngressBackend): Steps<void> {
  const { service, resource } = backend;
  if (resource !== undefined && service !== undefined)
    return void errors.push(invalid(path, '', 'cannot set both resource and service backends'));
  if (resource !== undefined) return yield* resultOf(localReferenceRules(errors, `${path}.resource`, resource));
  if (service === undefined) return void errors.push(invalid(path, '', 'resource or service backend is required'));
  serviceName(errors, `${path}.service.name`, service.name);
  const { name = '', number = 0 } = service.port ?? {};
  if (name !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (name !== '') nameErrors(errors, `${path}.service.port.name`, name, portName(name));
  else if (number === 0) errors.push(required(path, 'port name or number is required'));
  else for (const problem of portNumber(number)) errors.push(invalid(`${path}.service.port.number`, number, problem));
}

/** The rules of a reference to an object by group, kind and name. */
export const localReferenceRules = fields<coreV1.TypedLocalObjectReference>({
  apiGroup: valid(dnsSubdomainErrors),
  kind: mandatory(valid(pathSegment)),
  name: mandatory(valid(pathSegment)),
});

/** Adds the error of an older annotation that names another class than the field. */
function classErrors(errors: FieldError[], { metadata, spec }: IngressObject, { labelDomain }: Dialect): void {
  const annotation = `${labelDomain}/ingress.class`;
  const value = metadata.annotations?.[annotation];
  const name = spec?.ingressClassName;
  if (value === undefined || name === undefined || value === name) return;
  errors.push(invalid(`annotations.${annotation}`, value, 'must match `ingressClassName` when both are specified'));
}

const balancerRules = each(
  fields<networkingV1.IngressLoadBalancerIngress>({
    ip: filled(valid((ip: string) => (ipOctets(ip) === undefined ? [IP_TEXT] : []))),
    hostname: balancerHostErrors,
  }),
);

const statusStrategy: SubresourceStrategy<IngressObject> = {
  resetFields: [['spec']],
  prepareForUpdate(ingress, old) {
    if (old.spec === undefined) delete ingress.spec;
    else ingress.spec = old.spec;
  },
  *validateUpdate({ status }, _old, { work }) {
    const errors = new FieldErrorList(work);
    yield* resultOf(balancerRules(errors, 'status.loadBalancer.ingress', status?.loadBalancer?.ingress));
    return errors;
  },
};

/** Number of hosts that the table shows. */
const SHOWN_HOSTS = 3;

function hostsCell({ spec }: IngressObject): string {
  const rules = spec?.rules ?? [];
  const named = rules.flatMap(({ host }, index) => (host ? [{ host, index }] : []));
  const shown = named.slice(0, SHOWN_HOSTS);
  const last = shown[SHOWN_HOSTS - 1];
  const text = shown.map(({ host }) => host).join(',') || '*';
  // Once enough hosts are shown, Kubernetes counts rules without a host as well.
  return last !== undefined && last.index < rules.length - 1 ? `${text} + ${rules.length - SHOWN_HOSTS} more...` : text;
}

/** The behaviour of ingresses. */
export const ingressBehaviour: Behaviour<networkingV1.Ingress> = {
  strategy: {
    nameRule: dnsSubdomain,
    prepareForCreate(ingress) {
      ingress.metadata.generation = 1;
      ingress.status = { loadBalancer: {} };
    },
    *prepareForUpdate(ingress, old, { work }) {
      ingress.status = { ...old.status };
      if (!(yield* equalValueSteps(ingress.spec, old.spec, work))) incrementGeneration(ingress, old);
    },
    *validate(ingress, { dialect, work }, old) {
      const errors = new FieldErrorList(work);
      yield* specErrors(errors, ingress.spec ?? {}, yield* relaxedFor(old, work));
      if (old === undefined) classErrors(errors, ingress, dialect);
      return errors;
    },
    warnings: ({ metadata }, old, { dialect: { labelDomain } }) =>
      old === undefined && metadata.annotations?.[`${labelDomain}/ingress.class`] !== undefined
        ? [`annotation "${labelDomain}/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`]
        : [],
  },
  subresources: { status: statusStrategy },
  cells: {
    Class: ({ spec }) => spec?.ingressClassName ?? NONE,
    Hosts: hostsCell,
    Address: ({ status }, work) => balancerAddresses(status?.loadBalancer?.ingress, work),
    Ports: ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80'),
  },
};
