/** The code under test of the guide "from mocks": sets the image of a container of a Deployment, over HTTP. */

/** Where the API is, and as whom to use it. */
export interface Cluster {
  readonly url: string;
  readonly token: string;
}

/** A container of a Deployment. */
export interface Target {
  readonly namespace: string;
  readonly deployment: string;
  readonly container: string;
}

/** Sets the image. Returns the generation that has it. */
export async function setImage(cluster: Cluster, target: Target, image: string): Promise<number> {
  return patchImage(cluster, target, image, 'application/strategic-merge-patch+json');
}

/**
 * The first version, with the bug that the guide describes: a merge patch replaces lists as a whole, so the other
 * containers are gone, and all fields of this one besides its image.
 */
export async function setImageFirstVersion(cluster: Cluster, target: Target, image: string): Promise<number> {
  return patchImage(cluster, target, image, 'application/merge-patch+json');
}

async function patchImage(
  { url, token }: Cluster,
  { namespace, deployment, container }: Target,
  image: string,
  contentType: string,
): Promise<number> {
  const answer = await fetch(`${url}/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body: JSON.stringify({ spec: { template: { spec: { containers: [{ name: container, image }] } } } }),
  });
  if (!answer.ok) throw new Error(`${deployment}: ${answer.status}`);
  const { metadata } = (await answer.json()) as { metadata: { generation: number } };
  return metadata.generation;
}
