// The client of jayson: jayson.mjs URL over HTTP, or jayson.mjs tcp PORT.
import jayson from 'jayson/promise/index.js';
import { run } from './program.mjs';
import { visitWeather } from './weather.mjs';

run(async () => {
  const [target, port] = process.argv.slice(2);
  const client = target === 'tcp' ? jayson.Client.tcp({ host: '127.0.0.1', port: Number(port) }) : jayson.Client.http(target);
  const ask = async (method, params) => {
    const { result, error } = await client.request(method, params);
    return { result, error };
  };
  await visitWeather({
    call: async (method, params) => {
      const { result, error } = await ask(method, params);
      if (error) throw new Error(JSON.stringify(error));
      return result;
    },
    error: async (method, params) => (await ask(method, params)).error,
    batch: async (calls) => {
      const answers = await client.request(calls.map(([method, params]) => client.request(method, params, undefined, false)));
      return answers.map(({ result }) => result);
    },
    notify: (method, params) => client.request(method, params, null),
  });
});
