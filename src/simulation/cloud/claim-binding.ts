import {
  hasReason,
  ignoring,
  keyedReconciler,
  objectKey,
  watched,
  type EventSink,
  type Reconciler,
} from '../../controllers/index.js';
import { compareQuantity, groupName, inSlices, SharedWork } from '../../foundation/index.js';
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../kinds/index.js';
import type { CloudItem } from './match.js';
import {
  BY_CLAIM,
  claimsIn,
  setPhase,
  undefinedIfMissing,
  type ClassObject,
  type VolumeContext,
} from './volume-context.js';
import { capacityOf, refersTo, requestOf, volumeFor, type ClaimObject, type VolumeObject } from './volume-match.js';

/**
 * Binds claims to existing volumes or to new ones of their StorageClass.
 *
 * @see release 1.31, `pkg/controller/volume/persistentvolume` for the states and annotations
 */
export class ClaimBinding {
  readonly controller: Reconciler;
  readonly #context: VolumeContext;
  readonly #binder: EventSink;
  readonly #provisioner: EventSink;
  /** Resource and group of storage classes. */
  readonly #classResource: string;

  constructor(context: VolumeContext) {
    this.#context = context;
    const { recorder, dialect } = context;
    this.#classResource = `storageclass.${groupName(StorageClass.group, dialect)}`;
    this.#binder = recorder.of('persistentvolume-controller');
    this.#provisioner = recorder.of('external-provisioner');
    this.controller = keyedReconciler(context, {
      name: 'persistentvolume-controller',
      queue: 'claims',
      watches: [watched(PersistentVolumeClaim)],
      reconcile: (key) => ignoring(this.#process(key), 'NotFound', 'Conflict'),
    });
  }

  /** Returns the class of a claim; undefined for none, and for one that does not exist. */
  classOf(claim: ClaimObject): ClassObject | undefined {
    const name = this.#className(claim);
    return name === undefined || name === '' ? undefined : this.#context.classes.get(name);
  }

  #className({ spec, metadata }: ClaimObject): string | undefined {
    return metadata.annotations?.[this.#context.annotations.classOfClaim] ?? spec?.storageClassName;
  }

  /** Tries the claims again that have no volume. */
  retry(): void {
    const { claims } = this.#context;
    for (const claim of claims.values()) if (!claim.spec?.volumeName) this.controller.add(objectKey(claim));
  }

  async #process(key: string): Promise<void> {
    const claim = this.#context.claims.get(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    if (claim.spec?.volumeName) await this.#boundClaim(claim, claim.spec.volumeName);
    else await this.#unboundClaim(key, claim);
  }

  async #boundClaim(claim: ClaimObject, volumeName: string): Promise<void> {
    const volume = this.#context.volumes.get(volumeName) ?? (await this.#storedVolume(volumeName));
    const completed = claim.metadata.annotations?.[this.#context.annotations.bindCompleted] !== undefined;
    const named = volume?.spec?.claimRef;
    if (volume === undefined || (named !== undefined && !refersTo(volume, claim))) {
      if (!completed || claim.status?.phase === 'Lost') return;
      await claimsIn(this.#context.client, claim).updateStatus({
        ...claim,
        status: { ...claim.status, phase: 'Lost' },
      });
      const why =
        volume === undefined
          ? 'Bound claim has lost its PersistentVolume'
          : 'Bound claim has lost reference to PersistentVolume';
      this.#binder.event(
        claim,
        'Warning',
        volume === undefined ? 'ClaimLost' : 'ClaimMisbound',
        `${why}. Data on the volume is lost!`,
      );
      return;
    }
    const grown = await this.#grown(claim, volume);
    await this.#bind(claim, grown);
  }

  async #unboundClaim(key: string, claim: ClaimObject): Promise<void> {
    const name = this.#className(claim);
    const preset = name === undefined ? this.#defaultClass() : undefined;
    if (preset !== undefined) {
      const spec = { ...claim.spec, storageClassName: preset.metadata.name ?? '' };
      await claimsIn(this.#context.client, claim).update({ ...claim, spec });
      return;
    }
    const storageClass = this.classOf(claim);
    const selected = claim.metadata.annotations?.[this.#context.annotations.selectedNode];
    const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && selected === undefined;
    const candidates = isDelayed ? this.#context.volumes.find(BY_CLAIM, key) : this.#context.volumes.values();
    const work = new SharedWork();
    const wanted = name === claim.spec?.storageClassName ? claim : withClass(claim, name);
    const volume = await inSlices(work, volumeFor(wanted, candidates, work));
    if (volume !== undefined) return this.#bind(claim, volume);
    if (name === undefined || name === '' || isDelayed) return;
    if (storageClass === undefined) {
      this.#refuse(this.#binder, claim, `${this.#classResource} ${JSON.stringify(name)} not found`);
      return;
    }
    await this.#provision(key, claim, storageClass);
  }

  /** Returns the newest of the classes that are marked as default. */
  #defaultClass(): ClassObject | undefined {
    let newest: ClassObject | undefined;
    for (const candidate of this.#context.classes.values()) {
      if (candidate.metadata.annotations?.[this.#context.annotations.defaultClass] !== 'true') continue;
      if (newest === undefined || isNewer(candidate, newest)) newest = candidate;
    }
    return newest;
  }

  #refuse(sink: EventSink, claim: ClaimObject, message: string): void {
    sink.event(claim, 'Warning', 'ProvisioningFailed', message);
  }

  async #provision(key: string, claim: ClaimObject, storageClass: ClassObject): Promise<void> {
    const { provisioner } = storageClass;
    const { provisioners } = this.#context.options;
    if (provisioner === this.#context.annotations.noProvisioner || provisioners?.includes(provisioner) === false)
      return;
    const title = `failed to provision volume with StorageClass ${JSON.stringify(storageClass.metadata.name)}`;
    if (claim.spec?.selector !== undefined) {
      this.#refuse(this.#provisioner, claim, `${title}: claim Selector is not supported`);
      return;
    }
    const answer = this.#context.jobs.ask('create', this.#itemOf(claim));
    if (answer.state === 'never') return;
    if (answer.state === 'wait') {
      this.controller.addAfter(key, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      this.#refuse(this.#provisioner, claim, `${title}: ${answer.message}`);
      this.controller.addAfter(key, answer.retryMs);
      return;
    }
    await this.#bind(claim, await this.#create(claim, storageClass));
  }

  async #create(claim: ClaimObject, storageClass: ClassObject): Promise<VolumeObject> {
    const name = `pvc-${claim.metadata.uid ?? ''}`;
    const { provisioner, reclaimPolicy, mountOptions } = storageClass;
    const volumes = this.#context.client.resource(PersistentVolume);
    try {
      return await volumes.create({
        metadata: { name, annotations: { [this.#context.annotations.provisionedBy]: provisioner } },
        spec: {
          accessModes: [...(claim.spec?.accessModes ?? [])],
          capacity: { storage: requestOf(claim) },
          claimRef: this.#referenceTo(claim),
          csi: { driver: driverOf(provisioner), volumeHandle: name },
          persistentVolumeReclaimPolicy: reclaimPolicy ?? 'Delete',
          storageClassName: storageClass.metadata.name ?? '',
          volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
          ...(mountOptions === undefined ? {} : { mountOptions }),
        },
      });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      return volumes.get(name);
    }
  }

  /** Brings both sides to the state in which they are bound to each other. Each step is repeated until it is done. */
  async #bind(claim: ClaimObject, volume: VolumeObject): Promise<void> {
    const { client } = this.#context;
    const volumes = client.resource(PersistentVolume);
    let held = volume;
    if (!volume.spec?.claimRef?.uid) {
      const { boundByController } = this.#context.annotations;
      const annotations = volume.spec?.claimRef === undefined ? { [boundByController]: 'yes' } : {};
      held = await volumes.update({
        ...volume,
        metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...annotations } },
        spec: { ...volume.spec, claimRef: this.#referenceTo(claim) },
      });
    }
    if (held.status?.phase !== 'Bound') held = await setPhase(client, held, 'Bound');
    let bound = claim;
    const { bindCompleted, boundByController } = this.#context.annotations;
    if (!claim.spec?.volumeName || claim.metadata.annotations?.[bindCompleted] === undefined) {
      const marks = { [bindCompleted]: 'yes', ...(claim.spec?.volumeName ? {} : { [boundByController]: 'yes' }) };
      bound = await claimsIn(this.#context.client, claim).update({
        ...claim,
        metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } },
        spec: { ...claim.spec, volumeName: held.metadata.name ?? '' },
      });
    }
    const capacity = { ...bound.status?.capacity, ...held.spec?.capacity };
    if (bound.status?.phase === 'Bound' && bound.status.capacity?.['storage'] === capacity['storage']) return;
    await claimsIn(this.#context.client, claim).updateStatus({
      ...bound,
      status: { ...bound.status, phase: 'Bound', accessModes: [...(held.spec?.accessModes ?? [])], capacity },
    });
  }

  /** Expands the volume of a claim that has grown. */
  async #grown(claim: ClaimObject, volume: VolumeObject): Promise<VolumeObject> {
    const request = requestOf(claim);
    const isLarger = (compareQuantity(request, capacityOf(volume)) ?? 0) > 0;
    if (!isLarger || claim.status?.phase !== 'Bound' || this.classOf(claim)?.allowVolumeExpansion !== true)
      return volume;
    return this.#context.client
      .resource(PersistentVolume)
      .update({ ...volume, spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage: request } } });
  }

  #storedVolume(name: string): Promise<VolumeObject | undefined> {
    return this.#context.client.resource(PersistentVolume).get(name).catch(undefinedIfMissing);
  }

  #itemOf(claim: ClaimObject): CloudItem {
    return { uid: claim.metadata.uid ?? '', metadata: claim.metadata, storageClass: this.#className(claim) };
  }

  #referenceTo({ apiVersion, kind, metadata }: ClaimObject) {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    return { apiVersion, kind, namespace, name, uid, resourceVersion };
  }
}

/** The driver of a volume must be a domain; the provisioner of a class may have a path. */
const driverOf = (provisioner: string): string => provisioner.replace(/[^A-Za-z0-9.-]+/g, '-').toLowerCase();

const withClass = (claim: ClaimObject, storageClassName = ''): ClaimObject => ({
  ...claim,
  spec: { ...claim.spec, storageClassName },
});

function isNewer(a: ClassObject, b: ClassObject): boolean {
  const [at, bt] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return at === bt ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : at > bt;
}
