/**
 * The checks of the level `baseline`.
 *
 * @see release 1.31, the module pod-security-admission
 * @module
 */
import { goQuote } from '../../../foundation/index.js';
import type { coreV1 } from '../../../kinds/index.js';
import {
  containersOf,
  containersText,
  distinct,
  namesWhere,
  quoted,
  settersText,
  word,
  type Check,
  type CheckPod,
} from './check.js';

const PROFILE_TYPES: readonly string[] = ['RuntimeDefault', 'Localhost'];

/** Returns whether the type of a seccomp or AppArmor profile is an allowed one. */
export const isAllowedProfile = (type: string): boolean => PROFILE_TYPES.includes(type);

const isAllowedArmor = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const appArmorProfile: CheckPod = (pod) => {
  const own = pod.spec.securityContext?.appArmorProfile?.type;
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const type = securityContext?.appArmorProfile?.type;
    return type === undefined || isAllowedProfile(type) ? [] : [{ name, type }];
  });
  const isPodBad = own !== undefined && !isAllowedProfile(own);
  const prefix = `container.apparmor.security.beta.${pod.dialect.labelDomain}/`;
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowedArmor(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const values = [...distinct([...(isPodBad ? [own] : []), ...bad.map(({ type }) => type)]), ...annotations];
  if (values.length === 0) return undefined;
  const setters = [
    settersText(
      isPodBad,
      bad.map(({ name }) => name),
    ),
    annotations.length === 0 ? '' : word('annotation', 'annotations', annotations.length),
  ].filter((text) => text !== '');
  return {
    reason: word('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const DEFAULT_CAPABILITIES: readonly string[] = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];

const capabilities: CheckPod = (pod) => {
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((one) => !DEFAULT_CAPABILITIES.includes(one));
    return added.length === 0 ? [] : [{ name, added }];
  });
  if (bad.length === 0) return undefined;
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(bad.map(({ name }) => name))} must not include ${quoted(distinct(bad.flatMap(({ added }) => added)))} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${word('volume', 'volumes', names.length)} ${quoted(names)}` };
};

const hostPorts: CheckPod = (pod) => {
  const bad = containersOf(pod).flatMap(({ name, ports = [] }) => {
    const used = ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
    return used.length === 0 ? [] : [{ name, used }];
  });
  if (bad.length === 0) return undefined;
  const ports = distinct(bad.flatMap(({ used }) => used));
  return {
    reason: 'hostPort',
    detail: `${containersText(bad.map(({ name }) => name))} ${word('uses', 'use', bad.length)} ${word('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`,
  };
};

const privileged: CheckPod = (pod) => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

const procMount: CheckPod = (pod) => {
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount;
    return type === undefined || type === 'Default' ? [] : [{ name, type }];
  });
  if (bad.length === 0) return undefined;
  return {
    reason: 'procMount',
    detail: `${containersText(bad.map(({ name }) => name))} must not set securityContext.procMount to ${quoted(distinct(bad.map(({ type }) => type)))}`,
  };
};

const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const seLinuxOptions =
  (allowed: readonly string[]): CheckPod =>
  (pod) => {
    const isBad = ({ type = '', user = '', role = '' }: coreV1.SELinuxOptions): boolean =>
      !allowed.includes(type) || user !== '' || role !== '';
    const own = pod.spec.securityContext?.seLinuxOptions;
    const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
      const options = securityContext?.seLinuxOptions;
      return options === undefined || !isBad(options) ? [] : [{ name, options }];
    });
    const isPodBad = own !== undefined && isBad(own);
    if (!isPodBad && bad.length === 0) return undefined;
    const all = [...(isPodBad ? [own] : []), ...bad.map(({ options }) => options)];
    const types = distinct(all.map(({ type = '' }) => type).filter((type) => !allowed.includes(type)));
    const faults = [
      ...(types.length === 0 ? [] : [`${word('type', 'types', types.length)} ${quoted(types)}`]),
      ...(all.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
      ...(all.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
    ];
    const setters = settersText(
      isPodBad,
      bad.map(({ name }) => name),
    );
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
    };
  };

const isAllowedSeccomp = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

/** Before version 1.19, annotations had the seccomp profiles. */
const seccompAnnotations: CheckPod = (pod) => {
  const { labelDomain } = pod.dialect;
  const keys = [
    `seccomp.security.alpha.${labelDomain}/pod`,
    ...containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.${labelDomain}/${name}`),
  ];
  const bad = distinct(
    keys.flatMap((key) => {
      const value = pod.annotations[key];
      return value === undefined || isAllowedSeccomp(value) ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${word('annotation', 'annotations', bad.length)} ${bad.join(', ')}`,
  };
};

/** Refuses seccomp profiles of a type that is not allowed. */
export const seccompProfile: CheckPod = (pod) => {
  const own = pod.spec.securityContext?.seccompProfile?.type;
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const type = securityContext?.seccompProfile?.type;
    return type === undefined || isAllowedProfile(type) ? [] : [{ name, type }];
  });
  const isPodBad = own !== undefined && !isAllowedProfile(own);
  if (!isPodBad && bad.length === 0) return undefined;
  const setters = settersText(
    isPodBad,
    bad.map(({ name }) => name),
  );
  const types = distinct([...(isPodBad ? [own] : []), ...bad.map(({ type }) => type)]);
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
};

const SAFE_SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  ...['ip_local_port_range', 'tcp_syncookies', 'ping_group_range', 'ip_unprivileged_port_start'].map(
    (name) => `net.ipv4.${name}`,
  ),
];
const SAFE_SYSCTLS_27 = [...SAFE_SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SAFE_SYSCTLS_29 = [
  ...SAFE_SYSCTLS_27,
  ...['tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'].map(
    (name) => `net.ipv4.${name}`,
  ),
];

const sysctls =
  (safe: readonly string[]): CheckPod =>
  ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

const windowsHostProcess: CheckPod = (pod) => {
  const isPodBad = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPodBad && bad.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${settersText(isPodBad, bad)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const always = (id: string, check: CheckPod): Check => ({ id, level: 'baseline', versions: [{ minor: 0, check }] });

/** The checks, in the order of their violations in messages. */
export const baselineChecks: readonly Check[] = [
  always('appArmorProfile', appArmorProfile),
  always('capabilities_baseline', capabilities),
  always('hostNamespaces', hostNamespaces),
  always('hostPathVolumes', hostPathVolumes),
  always('hostPorts', hostPorts),
  always('privileged', privileged),
  always('procMount', procMount),
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      { minor: 0, check: seLinuxOptions(SELINUX_TYPES) },
      { minor: 31, check: seLinuxOptions([...SELINUX_TYPES, 'container_engine_t']) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      { minor: 0, check: seccompAnnotations },
      { minor: 19, check: seccompProfile },
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    versions: [
      { minor: 0, check: sysctls(SAFE_SYSCTLS) },
      { minor: 27, check: sysctls(SAFE_SYSCTLS_27) },
      { minor: 29, check: sysctls(SAFE_SYSCTLS_29) },
    ],
  },
  always('windowsHostProcess', windowsHostProcess),
];
