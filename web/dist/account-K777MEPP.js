import{a,b,c,d}from"./chunk-43YTHWYB.js";import"./chunk-CWB4UOFK.js";import"./chunk-IIKMONSJ.js";d();export{c as Security,a as default,b as identity};
