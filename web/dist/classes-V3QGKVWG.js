import{a,b,c}from"./chunk-7MUP5DSP.js";import"./chunk-MB6TZUVU.js";import"./chunk-CRACA3YF.js";import"./chunk-5H5K2FAG.js";c();export{a as ClassTabs,b as default};
