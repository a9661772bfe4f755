import {
  appendErrors,
  dnsSubdomain,
  equalValueSteps,
  FieldPath,
  forbidden,
  invalid,
  required,
  resultOf,
  UNBOUNDED_WORK,
  type FieldErrorList,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { checkLabelSelector } from '../../../machinery/index.js';
import type { networkingV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { portName, portNumber } from '../core/pod/validate/validate-ports.js';
import { each, oneOf } from '../shared/field-rules.js';
import { goSlice } from '../shared/go/go-values.js';
import { CIDR_TEXT, containsAddress, parseNetwork } from '../shared/network/ip-network.js';
import { selectorCell } from '../shared/selectors/label-selectors.js';
import { incrementGeneration } from '../shared/spec.js';
import { nameErrors } from '../shared/validate.js';

// In the order that Kubernetes shows.
const protocolRule = oneOf(['TCP', 'UDP', 'SCTP']);
const TYPES = ['Ingress', 'Egress'];
const typesRule = each(oneOf(TYPES));

const pathOf = (path: string): FieldPath => FieldPath.of(path);

/** @see release 1.31, `ValidateNetworkPolicySpec` of networking */
function* specErrors(spec: networkingV1.NetworkPolicySpec, work: Work = UNBOUNDED_WORK): Steps<FieldErrorList> {
  const errors = yield* checkLabelSelector(spec.podSelector, pathOf('spec.podSelector'), work);
  for (const [index, { ports = [], from = [] }] of (spec.ingress ?? []).entries()) {
    if (errors.spend()) yield;
    yield* ruleErrors(errors, `spec.ingress[${index}]`, ports, { name: 'from', list: from });
  }
  for (const [index, { ports = [], to = [] }] of (spec.egress ?? []).entries()) {
    if (errors.spend()) yield;
    yield* ruleErrors(errors, `spec.egress[${index}]`, ports, { name: 'to', list: to });
  }
  const { policyTypes = [] } = spec;
  if (policyTypes.length > TYPES.length) {
    const shown = goSlice('networking.PolicyType', policyTypes);
    errors.push(invalid('spec.policyTypes', shown, 'may not specify more than two policyTypes'));
    return errors;
  }
  yield* resultOf(typesRule(errors, 'spec.policyTypes', policyTypes));
  return errors;
}

function* ruleErrors(
  errors: FieldErrorList,
  path: string,
  ports: readonly networkingV1.NetworkPolicyPort[],
  peers: { readonly name: string; readonly list: readonly networkingV1.NetworkPolicyPeer[] },
): Steps<void> {
  for (const [index, port] of ports.entries()) {
    if (errors.spend()) yield;
    portErrors(errors, `${path}.ports[${index}]`, port);
  }
  for (const [index, peer] of peers.list.entries()) {
    if (errors.spend()) yield;
    yield* peerErrors(errors, `${path}.${peers.name}[${index}]`, peer);
  }
}

function portErrors(
  errors: FieldErrorList,
  path: string,
  { protocol, port, endPort }: networkingV1.NetworkPolicyPort,
): void {
  protocolRule(errors, `${path}.protocol`, protocol);
  const noEnd = (why: string): void => {
    if (endPort !== undefined) errors.push(invalid(`${path}.endPort`, endPort, why));
  };
  if (port === undefined) return noEnd('may not be specified when `port` is not specified');
  if (typeof port === 'string') {
    noEnd('may not be specified when `port` is non-numeric');
    return nameErrors(errors, `${path}.port`, port, portName(port));
  }
  for (const problem of portNumber(port)) errors.push(invalid(`${path}.port`, port, problem));
  if (endPort === undefined) return;
  if (endPort < port) errors.push(invalid(`${path}.endPort`, endPort, 'must be greater than or equal to `port`'));
  for (const problem of portNumber(endPort)) errors.push(invalid(`${path}.endPort`, endPort, problem));
}

function* peerErrors(errors: FieldErrorList, path: string, peer: networkingV1.NetworkPolicyPeer): Steps<void> {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (podSelector !== undefined)
    appendErrors(errors, yield* checkLabelSelector(podSelector, pathOf(`${path}.podSelector`), errors.work));
  if (namespaceSelector !== undefined)
    appendErrors(
      errors,
      yield* checkLabelSelector(namespaceSelector, pathOf(`${path}.namespaceSelector`), errors.work),
    );
  if (ipBlock !== undefined) yield* blockErrors(errors, `${path}.ipBlock`, ipBlock);
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) errors.push(required(path, 'must specify a peer'));
  if (hasSelector && ipBlock !== undefined)
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
}

function* blockErrors(errors: FieldErrorList, path: string, { cidr, except = [] }: networkingV1.IPBlock): Steps<void> {
  if (cidr === '') return void errors.push(required(`${path}.cidr`));
  const network = parseNetwork(cidr);
  if (network === undefined) return void errors.push(invalid(`${path}.cidr`, cidr, CIDR_TEXT));
  for (const [index, text] of except.entries()) {
    if (errors.spend()) yield;
    const part = parseNetwork(text);
    const at = `${path}.except[${index}]`;
    if (part === undefined) errors.push(invalid(at, text, CIDR_TEXT));
    else if (!containsAddress(network, part.base) || network.prefix >= part.prefix)
      errors.push(invalid(at, text, 'must be a strict subset of `cidr`'));
  }
}

/** The behaviour of network policies. */
export const networkPolicyBehaviour: Behaviour<networkingV1.NetworkPolicy> = {
  strategy: {
    nameRule: dnsSubdomain,
    defaults(policy) {
      const spec = (policy.spec ??= {});
      const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])];
      for (const { ports = [] } of rules) for (const port of ports) port.protocol ??= 'TCP';
      if ((spec.policyTypes ?? []).length > 0) return;
      spec.policyTypes = (spec.egress ?? []).length > 0 ? [...TYPES] : ['Ingress'];
    },
    prepareForCreate(policy) {
      policy.metadata.generation = 1;
    },
    *prepareForUpdate(policy, old, { work }) {
      if (!(yield* equalValueSteps(policy.spec, old.spec, work))) incrementGeneration(policy, old);
    },
    validate: ({ spec }, { work }) => specErrors(spec ?? { podSelector: {} }, work),
  },
  cells: { 'Pod-Selector': ({ spec }, work) => selectorCell(spec?.podSelector, work) },
};
