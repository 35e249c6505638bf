import{d as a,e as b,f as c}from"./chunk-P5PLBZXV.js";import"./chunk-SENLEJQF.js";import"./chunk-D3Z2BTKY.js";import"./chunk-LZA7HITR.js";c();export{a as default,b as enters};
