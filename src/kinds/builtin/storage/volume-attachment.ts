import {
  appendErrors,
  dnsSubdomainErrors,
  FieldErrorList,
  forbidden,
  invalid,
  required,
  tooLong,
  utf8Length,
  type Dialect,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { statusSubresource, type Strategy } from '../../../registry/index.js';
import type { storageV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { validateDriverName } from '../core/persistent-volume/validate-sources.js';
import { validateInlineVolumeSpec } from '../core/persistent-volume/validate-spec.js';
import { semanticallyEqual } from '../shared/go/semantic-equal.js';
import { isNew } from '../shared/is-new.js';
import { IMMUTABLE, nameErrors } from '../shared/validate.js';

type Attachment = StoredKind<storageV1.VolumeAttachment>;

/** Maximum size of `attachmentMetadata`, keys and values, in bytes. */
const MAX_METADATA_BYTES = 256 * 1024;
/** Maximum size of the message of an error, in bytes. */
const MAX_MESSAGE_BYTES = 1024;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

function* validateSource(
  errors: FieldErrorList,
  path: string,
  { inlineVolumeSpec, persistentVolumeName }: storageV1.VolumeAttachmentSource,
  dialect: Dialect,
): Steps<void> {
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.push(required(path, ONE_SOURCE));
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined)
    errors.push(forbidden(path, ONE_SOURCE));
  else if (persistentVolumeName === '')
    errors.push(required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName'));
  else if (inlineVolumeSpec !== undefined)
    yield* validateInlineVolumeSpec(errors, `${path}.inlineVolumeSpec`, inlineVolumeSpec, dialect);
}

function* validateStatus(errors: FieldErrorList, status: Attachment['status']): Steps<void> {
  let bytes = 0;
  for (const [key, value] of Object.entries(status?.attachmentMetadata ?? {})) {
    if (errors.spend()) yield;
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_METADATA_BYTES) errors.push(tooLong('status.attachmentMetadata', '', MAX_METADATA_BYTES));
  for (const field of ['attachError', 'detachError'] as const)
    // Kubernetes names the limit of the metadata here.
    if (utf8Length(status?.[field]?.message ?? '') > MAX_MESSAGE_BYTES)
      errors.push(tooLong(`status.${field}.message`, '', MAX_METADATA_BYTES));
}

function* validateAttachment(
  { spec, status }: Attachment,
  dialect: Dialect,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  if (spec.attacher === '') errors.push(required('spec.attacher'));
  yield* validateSource(errors, 'spec.source', spec.source, dialect);
  nameErrors(errors, 'spec.nodeName', spec.nodeName, dnsSubdomainErrors(spec.nodeName));
  yield* validateStatus(errors, status);
  return errors;
}

/** Returns the errors of rules that version v1 added; the spec of an older object cannot change. */
function validateNames({ spec }: Attachment): FieldError[] {
  const errors = new FieldErrorList();
  validateDriverName(errors, 'spec.attacher', spec.attacher);
  const { persistentVolumeName: name } = spec.source;
  if (name !== undefined) nameErrors(errors, 'spec.source.persistentVolumeName', name, dnsSubdomainErrors(name));
  return errors;
}

const strategy: Strategy<Attachment> = {
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = { attached: false };
  },
  prepareForUpdate(object, old) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  },
  *validate(object, { dialect, work }) {
    const errors = yield* validateAttachment(object, dialect, work);
    if (isNew(object)) appendErrors(errors, validateNames(object));
    return errors;
  },
  validateUpdate: ({ spec }, old) =>
    semanticallyEqual({ ...spec }, { ...old.spec }) ? [] : [invalid('spec', spec, IMMUTABLE)],
};

/** The behaviour of VolumeAttachments. */
export const volumeAttachmentBehaviour: Behaviour<storageV1.VolumeAttachment> = {
  strategy,
  subresources: {
    status: {
      prepareForUpdate: statusSubresource.strategy.prepareForUpdate,
      *validateUpdate(object, _old, { work }) {
        const errors = new FieldErrorList(work);
        yield* validateStatus(errors, object.status);
        return errors;
      },
    },
  },
  cells: {
    Attacher: ({ spec }) => spec.attacher,
    PV: ({ spec }) => spec.source.persistentVolumeName ?? '',
    Node: ({ spec }) => spec.nodeName,
    Attached: ({ status }) => status?.attached ?? false,
  },
};
