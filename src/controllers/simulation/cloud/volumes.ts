import type { ResourceClient } from '../../../client/index.js';
import { compareQuantity } from '../../../meta/quantity.js';
import { groupName } from '../../../names/dialect.js';
import type { InputOf, ObjectOf } from '../../../registry/definition.js';
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../resources/index.js';
import type { RunningInformer, RunningQueue } from '../../controller.js';
import type { EventSink } from '../../event-recorder.js';
import { hasReason } from '../../failures.js';
import type { Informer } from '../../informer.js';
import { objectKey } from '../../informer-cache.js';
import { WorkQueue } from '../../work-queue.js';
import type { CloudStorageClass } from './cloud.js';
import type { CloudContext } from './context.js';
import { CloudJobs } from './jobs.js';
import type { CloudItem } from './match.js';
import { capacityOf, refersTo, requestOf, volumeFor, type ClaimObject, type VolumeObject } from './volume-match.js';
import { VolumeAnnotations } from './volume-annotations.js';

type ClassObject = ObjectOf<typeof StorageClass>;
type Phase = 'Available' | 'Bound' | 'Released' | 'Failed';

/** Key of the first work: the StorageClass of the options. */
const CREATE_CLASS = '';
const BY_CLAIM = 'cloudClaim';
const BY_VOLUME = 'cloudVolume';

/** Keys of claims by volume, and of volumes by claim. */
const claimOf = ({ spec }: VolumeObject): string[] =>
  spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`];
const volumeOf = ({ spec }: ClaimObject): string[] => (spec?.volumeName ? [spec.volumeName] : []);

/**
 * The volumes of a fake cloud: binds claims to existing volumes or to new ones of their StorageClass, and reclaims
 * volumes whose claim is gone.
 *
 * @see release 1.31, `pkg/controller/volume/persistentvolume` for the states and annotations
 */
export class Volumes {
  readonly informers: readonly RunningInformer[];
  readonly queues: readonly RunningQueue[];
  readonly claims: Informer<ClaimObject>;
  readonly classes: Informer<ClassObject>;
  readonly annotations: VolumeAnnotations;
  readonly #context: CloudContext;
  readonly #volumes: Informer<VolumeObject>;
  readonly #claimQueue: WorkQueue<string>;
  readonly #volumeQueue: WorkQueue<string>;
  readonly #jobs: CloudJobs;
  readonly #binder: EventSink;
  readonly #provisioner: EventSink;
  /** Resource and group of storage classes. */
  readonly #classResource: string;
  /** Labels of claims by uid, which rules about their volumes need after their deletion. */
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();

  constructor(context: CloudContext) {
    this.#context = context;
    const { clock, informers, recorder, rules, dialect, onError } = context;
    this.#jobs = new CloudJobs(clock, rules);
    this.#binder = recorder.of('persistentvolume-controller');
    this.#provisioner = recorder.of('external-provisioner');
    this.#classResource = `storageclass.${groupName(StorageClass.group, dialect)}`;
    this.annotations = new VolumeAnnotations(dialect);
    const queueOf = (process: (key: string) => Promise<void>): WorkQueue<string> =>
      new WorkQueue<string>({ clock, process, onError: (_key, error) => onError(error) });
    this.#claimQueue = queueOf((key) => unlessChanged(key === CREATE_CLASS ? this.#createClass() : this.#claim(key)));
    this.#volumeQueue = queueOf((name) => unlessChanged(this.#volume(name)));
    this.queues = [this.#claimQueue, this.#volumeQueue];
    this.claims = informers.of(PersistentVolumeClaim);
    this.#volumes = informers.of(PersistentVolume);
    this.classes = informers.of(StorageClass);
    this.informers = [this.claims, this.#volumes, this.classes];
    this.claims.addIndex(BY_VOLUME, volumeOf);
    this.#volumes.addIndex(BY_CLAIM, claimOf);
    this.#claimQueue.add(CREATE_CLASS);
    this.#subscribe();
  }

  #subscribe(): void {
    const claimSeen = (claim: ClaimObject): void => {
      this.#labels.set(claim.metadata.uid ?? '', claim.metadata.labels ?? {});
      this.#claimQueue.add(objectKey(claim));
    };
    this.claims.subscribe({
      added: claimSeen,
      updated: claimSeen,
      deleted: (claim) => {
        this.#jobs.forget(claim.metadata.uid ?? '');
        const volumes = this.#volumes.find(BY_CLAIM, objectKey(claim));
        if (volumes.length === 0) this.#labels.delete(claim.metadata.uid ?? '');
        for (const { metadata } of volumes) this.#volumeQueue.add(metadata.name ?? '');
      },
    });
    const volumeSeen = (volume: VolumeObject): void => void this.#volumeQueue.add(volume.metadata.name ?? '');
    this.#volumes.subscribe({
      added: volumeSeen,
      updated: volumeSeen,
      deleted: (volume) => {
        const uid = volume.spec?.claimRef?.uid ?? '';
        this.#jobs.forget(uid);
        this.#labels.delete(uid);
        for (const claim of this.claims.find(BY_VOLUME, volume.metadata.name ?? ''))
          this.#claimQueue.add(objectKey(claim));
      },
    });
    const retry = (): void => this.#retry();
    this.classes.subscribe({ added: retry, updated: retry });
    this.#context.rules.onChange(() => {
      this.#retry();
      for (const volume of this.#volumes.values()) if (isUnclaimed(volume)) volumeSeen(volume);
    });
  }

  /** Tries the claims again that have no volume. */
  #retry(): void {
    for (const claim of this.claims.values()) if (!claim.spec?.volumeName) this.#claimQueue.add(objectKey(claim));
  }

  /** Returns the class of a claim; undefined for none, and for one that does not exist. */
  classOf(claim: ClaimObject): ClassObject | undefined {
    const name = this.#className(claim);
    return name === undefined || name === '' ? undefined : this.classes.get(name);
  }

  #className({ spec, metadata }: ClaimObject): string | undefined {
    return metadata.annotations?.[this.annotations.classOfClaim] ?? spec?.storageClassName;
  }

  async #createClass(): Promise<void> {
    const { storageClass = {} } = this.#context.options;
    if (storageClass === false) return;
    const resource = this.#context.client.resource(StorageClass);
    const { items } = await resource.list({ limit: 1 });
    if (items.length > 0) return;
    await resource.create(this.#classObject(storageClass)).catch((error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    });
  }

  #classObject(options: CloudStorageClass): InputOf<typeof StorageClass> {
    const { name = 'standard', volumeBindingMode = 'Immediate', reclaimPolicy = 'Delete' } = options;
    return {
      metadata: { name, annotations: { [this.annotations.defaultClass]: 'true' } },
      provisioner: 'cloud.example.com/disk',
      allowVolumeExpansion: options.allowVolumeExpansion ?? true,
      ...{ volumeBindingMode, reclaimPolicy },
    };
  }

  // Claims.

  async #claim(key: string): Promise<void> {
    const claim = this.claims.get(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    if (claim.spec?.volumeName) await this.#boundClaim(claim, claim.spec.volumeName);
    else await this.#unboundClaim(key, claim);
  }

  async #boundClaim(claim: ClaimObject, volumeName: string): Promise<void> {
    const volume = this.#volumes.get(volumeName) ?? (await this.#storedVolume(volumeName));
    const completed = claim.metadata.annotations?.[this.annotations.bindCompleted] !== undefined;
    const named = volume?.spec?.claimRef;
    if (volume === undefined || (named !== undefined && !refersTo(volume, claim))) {
      if (!completed || claim.status?.phase === 'Lost') return;
      await this.#claimsIn(claim).updateStatus({ ...claim, status: { ...claim.status, phase: 'Lost' } });
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
      await this.#claimsIn(claim).update({ ...claim, spec });
      return;
    }
    const storageClass = this.classOf(claim);
    const selected = claim.metadata.annotations?.[this.annotations.selectedNode];
    const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && selected === undefined;
    const candidates = isDelayed ? this.#volumes.find(BY_CLAIM, key) : this.#volumes.values();
    const volume = volumeFor(name === claim.spec?.storageClassName ? claim : withClass(claim, name), candidates);
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
    for (const candidate of this.classes.values()) {
      if (candidate.metadata.annotations?.[this.annotations.defaultClass] !== 'true') continue;
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
    if (provisioner === this.annotations.noProvisioner || provisioners?.includes(provisioner) === false) return;
    const title = `failed to provision volume with StorageClass ${JSON.stringify(storageClass.metadata.name)}`;
    if (claim.spec?.selector !== undefined) {
      this.#refuse(this.#provisioner, claim, `${title}: claim Selector is not supported`);
      return;
    }
    const answer = this.#jobs.ask('create', this.#itemOf(claim));
    if (answer.state === 'never') return;
    if (answer.state === 'wait') {
      this.#claimQueue.addAfter(key, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      this.#refuse(this.#provisioner, claim, `${title}: ${answer.message}`);
      this.#claimQueue.addAfter(key, answer.retryMs);
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
        metadata: { name, annotations: { [this.annotations.provisionedBy]: provisioner } },
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
      const { boundByController } = this.annotations;
      const annotations = volume.spec?.claimRef === undefined ? { [boundByController]: 'yes' } : {};
      held = await volumes.update({
        ...volume,
        metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...annotations } },
        spec: { ...volume.spec, claimRef: this.#referenceTo(claim) },
      });
    }
    if (held.status?.phase !== 'Bound') held = await this.#setPhase(held, 'Bound');
    let bound = claim;
    const { bindCompleted, boundByController } = this.annotations;
    if (!claim.spec?.volumeName || claim.metadata.annotations?.[bindCompleted] === undefined) {
      const marks = { [bindCompleted]: 'yes', ...(claim.spec?.volumeName ? {} : { [boundByController]: 'yes' }) };
      bound = await this.#claimsIn(claim).update({
        ...claim,
        metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } },
        spec: { ...claim.spec, volumeName: held.metadata.name ?? '' },
      });
    }
    const capacity = { ...bound.status?.capacity, ...held.spec?.capacity };
    if (bound.status?.phase === 'Bound' && bound.status.capacity?.['storage'] === capacity['storage']) return;
    await this.#claimsIn(claim).updateStatus({
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

  // Volumes.

  async #volume(name: string): Promise<void> {
    const volume = this.#volumes.get(name);
    if (volume === undefined) return;
    const [key] = claimOf(volume);
    if (key === undefined) {
      if (volume.status?.phase !== 'Available') await this.#setPhase(volume, 'Available');
      for (const claim of this.claims.find(BY_VOLUME, name)) this.#claimQueue.add(objectKey(claim));
      this.#retry();
      return;
    }
    const claim = this.claims.get(key) ?? (await this.#storedClaim(volume));
    if (claim !== undefined && refersTo(volume, claim)) {
      if (claim.spec?.volumeName !== name || volume.status?.phase !== 'Bound') this.#claimQueue.add(key);
    } else if (volume.spec?.claimRef?.uid) await this.#reclaim(name, volume);
    else if (volume.status?.phase !== 'Available') await this.#setPhase(volume, 'Available');
  }

  async #reclaim(name: string, volume: VolumeObject): Promise<void> {
    const { phase } = volume.status ?? {};
    const released = phase === 'Released' || phase === 'Failed' ? volume : await this.#setPhase(volume, 'Released');
    const { persistentVolumeReclaimPolicy: policy, claimRef } = released.spec ?? {};
    if (policy === 'Recycle') {
      const { claimRef: _, ...spec } = released.spec ?? {};
      await this.#context.client.resource(PersistentVolume).update({ ...released, spec });
    }
    if (policy !== 'Delete' || released.metadata.deletionTimestamp !== undefined) return;
    const answer = this.#jobs.ask('delete', {
      uid: claimRef?.uid ?? '',
      metadata: { name: claimRef?.name, namespace: claimRef?.namespace, labels: this.#labels.get(claimRef?.uid ?? '') },
      storageClass: released.spec?.storageClassName,
    });
    if (answer.state === 'wait') {
      this.#volumeQueue.addAfter(name, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      if (released.status?.phase !== 'Failed') await this.#setPhase(released, 'Failed', answer.message);
      this.#provisioner.event(released, 'Warning', 'VolumeFailedDelete', answer.message);
      this.#volumeQueue.addAfter(name, answer.retryMs);
      return;
    }
    await this.#context.client.resource(PersistentVolume).delete(name);
  }

  #setPhase(volume: VolumeObject, phase: Phase, message?: string): Promise<VolumeObject> {
    return this.#context.client
      .resource(PersistentVolume)
      .updateStatus({ ...volume, status: { ...volume.status, phase, ...(message === undefined ? {} : { message }) } });
  }

  /** Asks the server for a claim: the informer may not know a new one yet. */
  async #storedClaim({ spec }: VolumeObject): Promise<ClaimObject | undefined> {
    const claims = this.#context.client.resource(PersistentVolumeClaim).namespace(spec?.claimRef?.namespace ?? '');
    return claims.get(spec?.claimRef?.name ?? '').catch(undefinedIfMissing);
  }

  #storedVolume(name: string): Promise<VolumeObject | undefined> {
    return this.#context.client.resource(PersistentVolume).get(name).catch(undefinedIfMissing);
  }

  #claimsIn({ metadata }: ClaimObject): ResourceClient<ClaimObject, InputOf<typeof PersistentVolumeClaim>> {
    return this.#context.client.resource(PersistentVolumeClaim).namespace(metadata.namespace ?? '');
  }

  #itemOf(claim: ClaimObject): CloudItem {
    return { uid: claim.metadata.uid ?? '', metadata: claim.metadata, storageClass: this.#className(claim) };
  }

  #referenceTo({ apiVersion, kind, metadata }: ClaimObject) {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    return { apiVersion, kind, namespace, name, uid, resourceVersion };
  }
}

const isUnclaimed = ({ status }: VolumeObject): boolean => status?.phase === 'Released' || status?.phase === 'Failed';

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

function undefinedIfMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}

/** Ignores that an object was changed or deleted meanwhile: the event of that change enqueues it again. */
async function unlessChanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
  }
}
