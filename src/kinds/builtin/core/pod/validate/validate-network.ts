import {
  dnsSubdomainErrors,
  invalid,
  required,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { ipFamily, IP_TEXT } from '../../../shared/network/ip-address.js';
import { nameErrors } from '../../../shared/validate.js';
import type { PodSpec } from '../types.js';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

function* validateSearches(errors: FieldErrorList, path: string, searches: readonly string[]): Steps<void> {
  if (searches.length > MAX_SEARCHES)
    errors.push(invalid(path, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    errors.push(
      invalid(
        path,
        searches,
        `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`,
      ),
    );
  }
  for (const [index, search] of searches.entries()) {
    if (errors.spend()) yield;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    nameErrors(errors, `${path}[${index}]`, domain, dnsSubdomainErrors(domain));
  }
}

/** Validates resolver settings; with the policy None they must name a server. */
export function* validateDns(errors: FieldErrorList, path: string, { dnsConfig, dnsPolicy }: PodSpec): Steps<void> {
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined)
      return void errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    if ((dnsConfig.nameservers ?? []).length === 0) {
      return void errors.push(
        required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      );
    }
  }
  if (dnsConfig === undefined) return;
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  if (nameservers.length > MAX_NAMESERVERS)
    errors.push(invalid(`${path}.nameservers`, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  for (const [index, server] of nameservers.entries()) {
    if (errors.spend()) yield;
    if (ipFamily(server) === undefined) errors.push(invalid(`${path}.nameservers[${index}]`, server, IP_TEXT));
  }
  yield* validateSearches(errors, `${path}.searches`, searches);
  for (const [index, { name }] of options.entries()) {
    if (errors.spend()) yield;
    if (!name) errors.push(required(`${path}.options[${index}]`, 'must not be empty'));
  }
}

/** Validates the entries of the pod's hosts file. */
export function* validateHostAliases(
  errors: FieldErrorList,
  path: string,
  aliases: PodSpec['hostAliases'] = [],
): Steps<void> {
  for (const [index, { ip, hostnames = [] }] of aliases.entries()) {
    if (errors.spend()) yield;
    if (ipFamily(ip) === undefined) errors.push(invalid(`${path}[${index}].ip`, ip, IP_TEXT));
    // Kubernetes reports the path of the list here, not of the entry.
    for (const hostname of hostnames) {
      if (errors.spend()) yield;
      nameErrors(errors, `${path}.hostnames`, hostname, dnsSubdomainErrors(hostname));
    }
  }
}
