import {
  dnsSubdomainErrors,
  forbidden,
  invalid,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { nameErrors } from '../../../shared/validate.js';
import { placedContainers } from '../containers.js';
import type { PodRules } from '../rules.js';
import type { Container, PodSpec } from '../types.js';

type Options = NonNullable<NonNullable<Container['securityContext']>['windowsOptions']>;

const MAX_SPEC_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
/** Characters that are not printed. */

const CONTROL = /[\u0000-\u001f\u007f]/;
/** A NetBIOS name: 1 to 15 characters, not beginning with a dot. */
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const ONLY_DOTS_AND_SPACES = /^[. ]+$/;
const USER_CHARACTERS = /["/\\:;|=,+*?<>@[\]]/;

/** Returns the problems of a user and its domain: `DOMAIN\\user`. */
function userProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [domain, user = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  const problems: string[] = [];
  if (utf8Length(domain ?? '') >= MAX_DOMAIN)
    problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`);
  if (domain !== undefined && !NET_BIOS.test(domain) && !DNS_DOMAIN.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > MAX_USER)
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`);
  if (ONLY_DOTS_AND_SPACES.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (USER_CHARACTERS.test(user))
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return problems;
}

/** Validates the settings for containers of Windows. */
export function validateWindowsOptions(errors: FieldError[], path: string, options: Options | undefined): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (specName !== undefined)
    nameErrors(errors, `${path}.gmsaCredentialSpecName`, specName, dnsSubdomainErrors(specName));
  if (spec === '')
    errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && utf8Length(spec) > MAX_SPEC_KIB * 1024)
    errors.push(
      invalid(`${path}.gmsaCredentialSpec`, spec, `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`),
    );
  if (user !== undefined) nameErrors(errors, `${path}.runAsUserName`, user, userProblems(user));
}

/** Validates containers that run as processes of their Windows node: all of them, in the node's network. */
export function* validateHostProcess(
  errors: FieldErrorList,
  path: string,
  spec: PodSpec,
  rules: PodRules,
): Steps<void> {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = placedContainers(path, spec);
  let count = 0;
  for (const { container, path: at } of containers) {
    if (errors.spend()) yield;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own)
      errors.push(
        invalid(
          `${at}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      );
    if (own ?? ofPod) count += 1;
  }
  if (count === 0) return;
  if (count < containers.length)
    errors.push(
      invalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  if (spec.hostNetwork !== true)
    errors.push(
      invalid(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'),
    );
  if (!rules.allowsPrivileged) errors.push(forbidden(path, 'hostProcess containers are disallowed by cluster policy'));
}
