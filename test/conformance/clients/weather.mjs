// What the clients of others do at the weather service of examples/weather, whatever they call it by. Call, error, batch and notify are the
// client's ways to make a call, to make one that fails and return its error, to make calls in one message, and to send a notification.
import { deepStrictEqual } from 'node:assert';

const expect = (what, got, want) => deepStrictEqual(got, want, `${what}: ${JSON.stringify(got)} is not ${JSON.stringify(want)}`);

export async function visitWeather({ call, error, batch, notify }) {
  expect('a call', (await call('weather/current', { city: 'Paris' })).degrees, 14.5);
  expect('positional params', (await call('weather/current', ['Oslo', 'fahrenheit'])).degrees, 26.6);
  const unknown = await error('weather/current', { city: 'Pariz' });
  expect('a declared error', [unknown.code, unknown.message, unknown.data.didYouMean[0]].join(), '1001,city Pariz not found,Paris');
  expect('invalid params', (await error('weather/current', { city: 'Paris', unit: 'kelvin' })).code, -32602);
  expect('an unknown method', (await error('weather/currents', {})).code, -32601);
  const cities = await batch([['weather/current', { city: 'Paris' }], ['weather/current', { city: 'Lagos' }]]);
  expect('a batch', cities.map((report) => report.city).sort().join(), 'Lagos,Paris');
  await notify('weather/current', { city: 'Paris' });
  const many = await Promise.all(Array.from({ length: 200 }, () => call('weather/current', { city: 'Lagos' })));
  expect('many calls', many.filter((report) => report.degrees === 31).length, 200);
}
