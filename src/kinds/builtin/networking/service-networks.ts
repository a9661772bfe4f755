/**
 * ServiceCIDR and IPAddress: the objects from which later releases allocate cluster IPs. This server keeps them, and
 * allocates from the ranges of its options.
 *
 * @module
 */
import {
  dnsSubdomain,
  dnsSubdomainErrors,
  equalJson,
  FieldErrorList,
  goQuote,
  goStringSlice,
  invalid,
  pathSegment,
  required,
  resultOf,
  verbatim,
  VerbatimValue,
  type FieldError,
  type NameRule,
} from '../../../foundation/index.js';
import type { networkingV1beta1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { fields, filled, mandatory, valid } from '../shared/field-rules.js';
import { addressProblem, networkProblem } from '../shared/network/address-warnings.js';
import { ipOctets, ipText } from '../shared/network/ip-address.js';
import { networkText, parseNetwork } from '../shared/network/ip-network.js';
import { IMMUTABLE } from '../shared/validate.js';

/** The name of an IPAddress is the address, in its canonical form. */
const addressName: NameRule = (name) => {
  const problem = addressProblem(name);
  if (problem !== undefined) return [problem];
  const octets = ipOctets(name);
  return octets !== undefined && ipText(octets) === name ? [] : ['must be a canonical form IP address'];
};

const parentRules = mandatory(
  fields<networkingV1beta1.ParentReference>({
    group: filled(valid(dnsSubdomainErrors)),
    resource: mandatory(valid(pathSegment)),
    name: mandatory(valid(pathSegment)),
    namespace: filled(valid(pathSegment)),
  }),
);

/** Returns an owner as errors show it. */
function shownParent({
  group = '',
  resource = '',
  namespace = '',
  name = '',
}: Partial<networkingV1beta1.ParentReference>): VerbatimValue {
  const [g, r, ns, n] = [group, resource, namespace, name].map(goQuote);
  return new VerbatimValue(`networking.ParentReference{Group:${g}, Resource:${r}, Namespace:${ns}, Name:${n}}`);
}

function parentCell(parent: networkingV1beta1.ParentReference | undefined): string {
  if (parent === undefined) return NONE;
  const { group = '', resource, namespace = '', name } = parent;
  const type = `${resource}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return [type, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** The behaviour of IP addresses. */
export const ipAddressBehaviour: Behaviour<networkingV1beta1.IPAddress> = {
  strategy: {
    nameRule: addressName,
    *validate(address, _context, old) {
      const errors = new FieldErrorList();
      const parent = address.spec?.parentRef;
      if (old === undefined) yield* resultOf(parentRules(errors, 'spec.parentRef', parent));
      else if (!equalJson(parent, old.spec?.parentRef))
        errors.push(invalid('spec.parentRef', parent && shownParent(parent), IMMUTABLE));
      return errors;
    },
  },
  cells: { ParentRef: ({ spec }) => parentCell(spec?.parentRef) },
};

/** @see release 1.31, `ValidateServiceCIDR` of networking */
function networksErrors(cidrs: readonly string[]): FieldError[] {
  const path = 'spec.cidrs';
  const shown = verbatim(cidrs, () => `networking.ServiceCIDRSpec{CIDRs:${goStringSlice(cidrs)}}`);
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(path, shown, 'may only hold up to 2 values')];
  const [one, other] = cidrs.map((cidr) => parseNetwork(cidr)?.family);
  if (cidrs.length === 2 && (one === undefined || other === undefined || one === other)) {
    const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    return [invalid(path, shown, why)];
  }
  return cidrs.flatMap((cidr, index) => networkErrors(`${path}[${index}]`, cidr));
}

function networkErrors(path: string, cidr: string): FieldError[] {
  const problem = networkProblem(cidr);
  const network = parseNetwork(cidr);
  if (problem !== undefined || network === undefined) return [invalid(path, cidr, problem ?? 'invalid')];
  const errors = new FieldErrorList();
  const octets = ipOctets(cidr.slice(0, cidr.indexOf('/'))) ?? network.base;
  if (octets.some((octet, index) => octet !== network.base[index]))
    errors.push(invalid(path, cidr, "wrong CIDR format, IP doesn't match network IP address"));
  if (`${ipText(octets)}/${network.prefix}` !== cidr)
    errors.push(invalid(path, cidr, `CIDR not in RFC 5952 canonical format (${networkText(network)})`));
  return errors;
}

/** The behaviour of service networks. */
export const serviceCidrBehaviour: Behaviour<networkingV1beta1.ServiceCIDR> = {
  strategy: {
    nameRule: dnsSubdomain,
    prepareForCreate(cidr) {
      cidr.status = {};
    },
    prepareForUpdate(cidr, old) {
      cidr.status = { ...old.status };
    },
    validate({ spec }, _context, old) {
      const cidrs = spec?.cidrs ?? [];
      if (old === undefined) return networksErrors(cidrs);
      const before = old.spec?.cidrs ?? [];
      const isSame = cidrs.length === before.length && cidrs.every((one, index) => one === before[index]);
      return isSame ? [] : [invalid('spec.cidrs', cidrs, IMMUTABLE)];
    },
  },
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(cidr, old) {
        if (old.spec === undefined) delete cidr.spec;
        else cidr.spec = old.spec;
      },
    },
  },
  cells: { CIDRs: ({ spec }) => (spec?.cidrs ?? []).join(',') },
};
