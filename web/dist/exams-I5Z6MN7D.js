import{d as a,e as b,f as c}from"./chunk-LXSA6R4S.js";import"./chunk-2UNXXKQ5.js";import"./chunk-YM2GYYPS.js";import"./chunk-GOKVTJ5P.js";c();export{a as default,b as enters};
