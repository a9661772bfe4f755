import { dnsSubdomainErrors, forbidden, invalid, type Dialect, type FieldError } from '../../../foundation/index.js';

/** Text of tables for a value that is not set. */
export const UNSET = '<unset>';

/** The former place of the name of a storage class. */
export const storageClassAnnotation = ({ labelDomain }: Dialect): string => `volume.beta.${labelDomain}/storage-class`;

/** The suffix of {@link storageClassAnnotation}, where the dialect is not known: in tables. */
const STORAGE_CLASS_ANNOTATION = /^volume\.beta\..*\/storage-class$/;

interface Classified {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec?: { readonly storageClassName?: string | undefined } | undefined;
}

/** Returns the storage class of a volume or claim: the deprecated annotation counts first. Empty for none. */
export function storageClassOf({ metadata, spec }: Classified, dialect?: Dialect): string {
  const { annotations = {} } = metadata;
  const key =
    dialect === undefined
      ? Object.keys(annotations).find((name) => STORAGE_CLASS_ANNOTATION.test(name))
      : storageClassAnnotation(dialect);
  return (key === undefined ? undefined : annotations[key]) ?? spec?.storageClassName ?? '';
}

/** Returns the warning for the deprecated annotation, when the object has it. */
export function storageClassWarnings({ metadata }: Classified, dialect: Dialect): string[] {
  const annotation = storageClassAnnotation(dialect);
  if (metadata.annotations?.[annotation] === undefined) return [];
  return [`metadata.annotations[${annotation}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}

/** Adds the errors of the name of a class. */
export function validateClassName(errors: FieldError[], path: string, name: string): void {
  for (const problem of dnsSubdomainErrors(name)) errors.push(invalid(path, name, problem));
}

/** The gate of `volumeAttributesClassName`. */
export const ATTRIBUTES_CLASS_GATE = 'VolumeAttributesClass';

interface WithAttributesClass {
  volumeAttributesClassName?: string | undefined;
}

/** Drops the name of the attributes class while the feature is disabled, unless the old object has one. */
export function dropAttributesClass(
  spec: WithAttributesClass,
  old: WithAttributesClass | undefined,
  on: boolean,
): void {
  if (!on && old?.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName;
}

/** Adds the errors of a change of the attributes class that a volume and a claim share. */
export function validateAttributesClassChange(
  errors: FieldError[],
  { volumeAttributesClassName: now }: WithAttributesClass,
  { volumeAttributesClassName: before }: WithAttributesClass,
  on: boolean,
): void {
  const path = 'spec.volumeAttributesClassName';
  if (now === before) return;
  if (!on) errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'));
  if (before !== undefined && now === undefined)
    errors.push(forbidden(path, 'update from non-nil value to nil is forbidden'));
}
