import{a,b,c}from"./chunk-AL7WFBSP.js";import"./chunk-SRAD3YAZ.js";import"./chunk-IAHQ7O75.js";import"./chunk-76DUVBSG.js";import"./chunk-57WFRSBU.js";c();export{a as GuardianTabs,b as default};
