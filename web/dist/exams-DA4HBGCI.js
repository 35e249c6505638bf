import{d as a,e as b,f as c}from"./chunk-MMB3CF4C.js";import"./chunk-4ODQX4ZG.js";import"./chunk-7BNUKBZE.js";import"./chunk-57WFRSBU.js";c();export{a as default,b as enters};
