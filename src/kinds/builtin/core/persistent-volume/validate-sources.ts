import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  forbidden,
  invalid,
  ownMember,
  required,
  resultOf,
  tooLong,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type MaybeSteps,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { fields, filled, mandatory, valid, whereSet } from '../../shared/field-rules.js';
import { nameErrors } from '../../shared/validate.js';
import { noBacksteps } from '../pod/validate/validate-paths.js';
import {
  azureFileFields,
  CHECKED_NAMES,
  driverOptionsErrors,
  glusterfsFields,
  ISCSI_LENGTH,
  iscsiName,
  iscsiSecret,
  iscsiUnit,
  isLongForIscsi,
  SECOND_NAMES,
  sharedSources,
} from '../volume-sources.js';

type Spec = coreV1.PersistentVolumeSpec;

/** Names of the sources of a volume, in the order in which Kubernetes checks them: the first one counts. */
export const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof Spec)[];

type SourceName = (typeof SOURCES)[number];

/** The facts that the checks of sources need besides the source. */
export interface SourceContext {
  /** Name of the volume; empty for one that is part of another object. */
  readonly volumeName: string;
  readonly dialect: Dialect;
}

type SourceCheck<Name extends SourceName> = (
  errors: FieldErrorList,
  path: string,
  source: NonNullable<Spec[Name]>,
  context: SourceContext,
) => MaybeSteps<void>;

const MAX_DRIVER_NAME_BYTES = 63;

/** Adds the errors of the name of a CSI driver. */
export function validateDriverName(errors: FieldError[], path: string, name: string): void {
  if (name === '') errors.push(required(path));
  if (name.length > MAX_DRIVER_NAME_BYTES) errors.push(tooLong(path, '', MAX_DRIVER_NAME_BYTES));
  nameErrors(errors, path, name, dnsSubdomainErrors(name.toLowerCase()));
}

const secretRef = fields<coreV1.SecretReference>({ name: mandatory(), namespace: mandatory() });
const validSecretRef = fields<coreV1.SecretReference>({
  name: mandatory(valid(dnsSubdomainErrors)),
  namespace: mandatory(valid(dnsLabelErrors)),
});

const endpointsNamespace = (namespace: string): readonly string[] =>
  namespace === '' ? ['if the endpointnamespace is set, it must be a valid namespace name'] : dnsLabelErrors(namespace);

const nodeName = iscsiName('must be valid format');

const iscsiFields = fields<coreV1.ISCSIPersistentVolumeSource>({ iqn: mandatory(nodeName), lun: iscsiUnit });
const iscsiSecretFields = fields<coreV1.ISCSIPersistentVolumeSource>({
  secretRef: fields<coreV1.SecretReference>({ name: mandatory() }),
});

/** The rules of an iSCSI target. The name of the volume is part of the names of its device. */
function* validateTarget(
  errors: FieldErrorList,
  path: string,
  source: coreV1.ISCSIPersistentVolumeSource,
  { volumeName }: SourceContext,
): Steps<void> {
  const { targetPortal, initiatorName } = source;
  if (targetPortal === '') errors.push(required(`${path}.targetPortal`));
  if (isLongForIscsi(volumeName, source)) errors.push(invalid(`${path}.targetportal`, targetPortal, ISCSI_LENGTH));
  yield* resultOf(iscsiFields(errors, path, source));
  iscsiSecret(errors, path, source);
  yield* resultOf(iscsiSecretFields(errors, path, source));
  nodeName(errors, `${path}.initiatorname`, initiatorName);
}

const checks: { readonly [Name in SourceName]: SourceCheck<Name> } = {
  ...sharedSources,
  glusterfs: fields<coreV1.GlusterfsPersistentVolumeSource>({
    ...glusterfsFields,
    endpointsNamespace: valid(endpointsNamespace),
  }),
  iscsi: validateTarget,
  cinder: fields<coreV1.CinderPersistentVolumeSource>({ volumeID: mandatory(), secretRef }),
  *flexVolume(errors, path, { driver, options }, { dialect }) {
    if (driver === '') errors.push(required(`${path}.driver`));
    yield* driverOptionsErrors(errors, `${path}.options`, options, dialect);
  },
  azureFile: fields<coreV1.AzureFilePersistentVolumeSource>({
    ...azureFileFields,
    secretNamespace: whereSet(mandatory()),
  }),
  local(errors, path, { path: target }) {
    if (!target) return void errors.push(required(`${path}.path`));
    noBacksteps(errors, `${path}.path`, target);
  },
  storageos: fields<coreV1.StorageOSPersistentVolumeSource>({
    volumeName: mandatory(valid(dnsLabelErrors)),
    volumeNamespace: filled(valid(dnsLabelErrors)),
    secretRef,
  }),
  csi: fields<coreV1.CSIPersistentVolumeSource>({
    driver: (errors, path, name = '') => validateDriverName(errors, path, name),
    volumeHandle: mandatory(),
    controllerPublishSecretRef: validSecretRef,
    controllerExpandSecretRef: validSecretRef,
    nodePublishSecretRef: validSecretRef,
    nodeExpandSecretRef: validSecretRef,
  }),
};

function validateSource<Name extends SourceName>(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  name: Name,
  context: SourceContext,
): MaybeSteps<void> {
  const source = spec[name];
  const check: SourceCheck<Name> = checks[name];
  if (source !== undefined && source !== null)
    return check(errors, `${path}.${ownMember(CHECKED_NAMES, name) ?? name}`, source, context);
}

/** Adds the errors of the sources of a volume: exactly one is required. */
export function* validateSources(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  context: SourceContext,
): Steps<void> {
  let found = 0;
  for (const name of SOURCES) {
    if (spec[name] === undefined) continue;
    // Kubernetes checks this source although it is not the first one.
    if (found > 0 && name !== 'flexVolume')
      errors.push(
        forbidden(`${path}.${ownMember(SECOND_NAMES, name) ?? name}`, 'may not specify more than 1 volume type'),
      );
    else {
      yield* resultOf(validateSource(errors, path, spec, name, context));
      if (name === 'local' && spec.nodeAffinity?.required === undefined)
        errors.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'));
    }
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
}
