import type { Dialect } from '../../foundation/index.js';

/** The annotations of claims, volumes and storage classes in a dialect. */
export class VolumeAnnotations {
  /** On a claim that has its volume. */
  readonly bindCompleted: string;
  /** On a claim or volume whose other side was chosen by the controller. */
  readonly boundByController: string;
  /** On a volume: the provisioner that created it. */
  readonly provisionedBy: string;
  /** On a claim: the node of the first pod that uses it. */
  readonly selectedNode: string;
  /** On a storage class: whether it is the default. */
  readonly defaultClass: string;
  /** On a claim: the storage class, as old releases wrote it. */
  readonly classOfClaim: string;
  /** Provisioner of storage classes whose volumes somebody else creates. */
  readonly noProvisioner: string;

  constructor({ labelDomain }: Dialect) {
    this.bindCompleted = `pv.${labelDomain}/bind-completed`;
    this.boundByController = `pv.${labelDomain}/bound-by-controller`;
    this.provisionedBy = `pv.${labelDomain}/provisioned-by`;
    this.selectedNode = `volume.${labelDomain}/selected-node`;
    this.defaultClass = `storageclass.${labelDomain}/is-default-class`;
    this.classOfClaim = `volume.beta.${labelDomain}/storage-class`;
    this.noProvisioner = `${labelDomain}/no-provisioner`;
  }
}
