import{a,b,c}from"./chunk-GN77IPT5.js";import"./chunk-TWZFDPGF.js";import"./chunk-H4VVWEOZ.js";import"./chunk-KWOO4V6I.js";import"./chunk-IIKMONSJ.js";c();export{a as GuardianTabs,b as default};
