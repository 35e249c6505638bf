import{a,b,c}from"./chunk-DMWL26KK.js";import"./chunk-WXQVR26E.js";c();export{a as SetPIN,b as default};
