import{a,b,c}from"./chunk-CWB4UOFK.js";import"./chunk-IIKMONSJ.js";c();export{a as SetPIN,b as default};
