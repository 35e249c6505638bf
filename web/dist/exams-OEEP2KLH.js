import{d as a,e as b,f as c}from"./chunk-43ABGKPU.js";import"./chunk-YELKRLIG.js";import"./chunk-RGOJDGTZ.js";import"./chunk-RZXHXUZY.js";c();export{a as default,b as enters};
