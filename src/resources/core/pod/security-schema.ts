import * as z from 'zod';
import { always, atomicList, enumOf, goNamed, int64, optional, omitted, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';

const seLinuxOptions = once(() =>
  struct('SELinuxOptions', {
    user: omitted(1, z.string()),
    role: omitted(2, z.string()),
    type: omitted(3, z.string()),
    level: omitted(4, z.string()),
  }),
);

const windowsOptions = once(() =>
  struct('WindowsSecurityContextOptions', {
    gmsaCredentialSpecName: optional(1, z.string()),
    gmsaCredentialSpec: optional(2, z.string()),
    runAsUserName: optional(3, z.string()),
    hostProcess: optional(4, z.boolean()),
  }),
);

const PROFILE = 'Localhost, RuntimeDefault or Unconfined.';
const LOCALHOST = 'The profile on the node, for type Localhost.';

const profile = (name: string) =>
  struct(
    name,
    {
      type: always(1, goNamed(`v1.${name}Type`, enumOf('Localhost', 'RuntimeDefault', 'Unconfined')), {
        description: PROFILE,
      }),
      localhostProfile: optional(2, z.string(), { description: LOCALHOST }),
    },
    { unionDiscriminator: 'type' },
  );

const seccompProfile = once(() => profile('SeccompProfile'));
const appArmorProfile = once(() => profile('AppArmorProfile'));

const USER = 'User id that the processes run as.';
const GROUP = 'Group id that the processes run as.';
const NON_ROOT = 'Refuse to run as user 0.';

/** How all containers of a pod are confined. */
export const podSecurityContext = once(() =>
  struct('PodSecurityContext', {
    seLinuxOptions: optional(1, seLinuxOptions()),
    windowsOptions: optional(8, windowsOptions()),
    runAsUser: optional(2, int64(), { description: USER }),
    runAsGroup: optional(6, int64(), { description: GROUP }),
    runAsNonRoot: optional(3, z.boolean(), { description: NON_ROOT }),
    supplementalGroups: omitted(4, atomicList(int64()), { description: 'More group ids of the processes.' }),
    supplementalGroupsPolicy: optional(12, goNamed('v1.SupplementalGroupsPolicy', enumOf('Merge', 'Strict')), {
      description: 'Merge or Strict. Alpha: dropped.',
    }),
    fsGroup: optional(5, int64(), { description: 'Group id that owns volumes.' }),
    sysctls: omitted(7, atomicList(struct('Sysctl', { name: always(1, z.string()), value: always(2, z.string()) })), {
      description: 'Kernel parameters of the pod.',
    }),
    fsGroupChangePolicy: optional(9, goNamed('v1.PodFSGroupChangePolicy', enumOf('Always', 'OnRootMismatch')), {
      description: 'OnRootMismatch or Always.',
    }),
    seccompProfile: optional(10, seccompProfile(), { description: 'System call filter.' }),
    appArmorProfile: optional(11, appArmorProfile(), { description: 'AppArmor profile.' }),
  }),
);

/** How one container is confined; goes over what the pod says. */
export const securityContext = once(() =>
  struct('SecurityContext', {
    capabilities: optional(
      1,
      struct('Capabilities', {
        add: omitted(1, atomicList(goNamed('v1.Capability', z.string()))),
        drop: omitted(2, atomicList(goNamed('v1.Capability', z.string()))),
      }),
      { description: "Capabilities to add to, and to drop from, the runtime's own." },
    ),
    privileged: optional(2, z.boolean(), { description: 'Run with the powers of the node.' }),
    seLinuxOptions: optional(3, seLinuxOptions()),
    windowsOptions: optional(10, windowsOptions()),
    runAsUser: optional(4, int64(), { description: USER }),
    runAsGroup: optional(8, int64(), { description: GROUP }),
    runAsNonRoot: optional(5, z.boolean(), { description: NON_ROOT }),
    readOnlyRootFilesystem: optional(6, z.boolean(), { description: 'The root file system cannot be written.' }),
    allowPrivilegeEscalation: optional(7, z.boolean(), {
      description: 'Whether a process may gain more powers than its parent has.',
    }),
    procMount: optional(9, goNamed('v1.ProcMountType', enumOf('Default', 'Unmasked')), {
      description: 'Default or Unmasked.',
    }),
    seccompProfile: optional(11, seccompProfile(), { description: 'System call filter.' }),
    appArmorProfile: optional(12, appArmorProfile(), { description: 'AppArmor profile.' }),
  }),
);

/** Who a container's first process runs as. */
export const containerUser = once(() =>
  struct('ContainerUser', {
    linux: optional(
      1,
      struct('LinuxContainerUser', {
        uid: always(1, int64()),
        gid: always(2, int64()),
        supplementalGroups: omitted(3, atomicList(int64())),
      }),
    ),
  }),
);
